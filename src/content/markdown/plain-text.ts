import { type Inline, isPunctuation, scanInline } from './inline.ts'

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  times: '×',
  middot: '·',
  bull: '•',
  rarr: '→',
  larr: '←',
}
const entity = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/y

const entityAt = (source: string, at: number): { text: string; length: number } | null => {
  entity.lastIndex = at
  const found = entity.exec(source)
  if (!found) return null
  const [whole, decimal, hex, name] = found
  if (name !== undefined) {
    const text = Object.hasOwn(entities, name) ? entities[name] : undefined
    return text === undefined ? null : { text, length: whole.length }
  }
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex!, 16)
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return { text: valid ? String.fromCodePoint(code) : '\ufffd', length: whole.length }
}

/** Gives a link target or title as it is meant: backslash escapes and character references resolved. */
export const unescapeText = (raw: string): string => {
  if (!/[\\&]/.test(raw)) return raw
  let out = ''
  for (let at = 0; at < raw.length; ) {
    const found = raw[at] === '&' ? entityAt(raw, at) : null
    if (raw[at] === '\\' && isPunctuation(raw[at + 1])) {
      out += raw[at + 1]
      at += 2
    } else if (found) {
      out += found.text
      at += found.length
    } else out += raw[at++]
  }
  return out
}

/** A run of `*`, `_` or `~` among the pieces of a text. */
type Run = { piece: number; char: string; size: number; left: number; opens: boolean; closes: boolean }

const space = /^\s?$/u
const mark = /[\p{P}\p{S}]/u

const runAt = (source: string, at: number, end: number, piece: number, stop: number): Run => {
  const char = source[at]!
  const before = Array.from(source.slice(Math.max(0, at - 2), at)).at(-1) ?? ''
  const after = end < stop ? String.fromCodePoint(source.codePointAt(end)!) : ''
  const left = !space.test(after) && (!mark.test(after) || space.test(before) || mark.test(before))
  const right = !space.test(before) && (!mark.test(before) || space.test(after) || mark.test(after))
  const strict = char === '_'
  const opens = left && (!strict || !right || mark.test(before))
  const closes = right && (!strict || !left || mark.test(after))
  return { piece, char, size: end - at, left: end - at, opens, closes }
}

const pairs = (open: Run, close: Run): boolean => {
  if (open.char !== close.char) return false
  if (open.char === '~') return open.size === close.size && open.size < 3
  const odd = (open.closes || close.opens) && (open.size + close.size) % 3 === 0
  return !odd || (open.size % 3 === 0 && close.size % 3 === 0)
}

/** Takes the marks that make emphasis away from the pieces: CommonMark's procedure, bottoms and all. */
const dropEmphasis = (pieces: string[], runs: Run[]): void => {
  const stack: Run[] = []
  const bottoms = new Map<string, number>()
  for (const close of runs) {
    const key = `${close.char}${close.opens}${close.size % 3}`
    while (close.closes && close.left > 0) {
      const bottom = Math.min(bottoms.get(key) ?? 0, stack.length)
      let at = stack.length - 1
      while (at >= bottom && !pairs(stack[at]!, close)) at--
      if (at < bottom) {
        bottoms.set(key, stack.length)
        break
      }
      const open = stack[at]!
      const used = close.char === '~' ? close.size : open.left > 1 && close.left > 1 ? 2 : 1
      open.left -= used
      close.left -= used
      stack.length = open.left > 0 ? at + 1 : at
    }
    if (close.opens && close.left > 0) stack.push(close)
  }
  for (const run of runs) pieces[run.piece] = run.char.repeat(run.left)
}

type Skip = { start: number; end: number; text: string }

const codeText = (raw: string): string => {
  const text = raw.replace(/\r\n?|\n/g, ' ')
  return text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '' ? text.slice(1, -1) : text
}

const skipsOf = (source: string, inlines: Inline[]): Skip[] =>
  inlines
    .flatMap(({ kind, start, end, text }) => {
      if (kind === 'code') return [{ start, end, text: codeText(source.slice(text.start, text.end)) }]
      if (kind === 'autolink') return [{ start, end, text: source.slice(text.start, text.end) }]
      if (kind === 'html')
        return [{ start, end, text: /^<br\b/i.test(source.slice(start, start + 4)) ? ' ' : '' }]
      return [
        { start, end: text.start, text: '' },
        { start: text.end, end, text: '' },
      ]
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)

/** Where plain text is not what is written. */
const special = new Set(['\\', '&', '*', '_', '~'])

/**
 * Gives inline Markdown as plain text: unescaped, without the marks of formatting, links and HTML, line ends
 * and runs of blanks as one space.
 */
export const plainText = (source: string, start = 0, end = source.length): string => {
  if (start >= end) return ''
  const skips = skipsOf(source, scanInline(source, start, end))
  const pieces: string[] = []
  const runs: Run[] = []
  let skip = 0
  let plain = ''
  for (let at = start; at < end; ) {
    const char = source[at]!
    const next = skips[skip]
    if (next && at >= next.start) {
      skip++
      plain += at > next.start ? '' : next.text
      at = Math.max(at, next.end)
    } else if (char === '\\' && isPunctuation(source[at + 1])) {
      plain += source[at + 1]
      at += 2
    } else if (char === '*' || char === '_' || char === '~') {
      let to = at
      while (to < end && source[to] === char) to++
      pieces.push(plain, '')
      plain = ''
      runs.push(runAt(source, at, to, pieces.length - 1, end))
      at = to
    } else if (char === '&' || char === '\\') {
      const found = char === '&' ? entityAt(source, at) : null
      plain += found ? found.text : char === '\\' && /[\r\n]/.test(source[at + 1] ?? '') ? '' : char
      at += found ? found.length : 1
    } else {
      // Words are taken whole: a megabyte letter by letter leaves as many strings behind.
      const stop = Math.min(end, next?.start ?? end)
      const from = at++
      while (at < stop && !special.has(source[at]!)) at++
      plain += source.slice(from, at)
    }
  }
  dropEmphasis(pieces, runs)
  // The blank in front goes again; with it the text is one of its own, and not a view that keeps the whole source.
  return onOneLine(` ${pieces.join('')}${plain}`)
}

const onOneLine = (text: string): string => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
const everyMark = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
const needed = (text: string): string =>
  text
    .replace(/[\\`*[\]<]|&(?=#?\w+;)|~(?=~)|(?<=~)~/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')

/** Gives a text as inline Markdown that reads as exactly this text, on one line, with few escapes. */
export const escapeText = (text: string): string => {
  const line = onOneLine(text)
  const few = needed(line)
  return plainText(few) === line ? few : everyMark(line)
}

/** Gives words as inline Markdown, blanks and line ends as they are: for a piece of a longer text. */
export const escapeWords = (text: string): string => {
  const few = needed(text).replace(/\{(?=%)|\$(?=\$)|(?<=\$)\$/g, '\\$&')
  return plainText(few) === onOneLine(text) ? few : everyMark(text)
}

/** Gives a text as Markdown that can stand at the beginning of a line and is no other block there. */
export const escapeLine = (text: string): string => guardLine(escapeText(text))

/** Escapes what would make inline Markdown another block at the beginning of a line. */
export const guardLine = (escaped: string): string => {
  if (/^(?:[+>#=-]|\d{1,9}[.)])/.test(escaped)) return escaped.replace(/[+>#=.)-]/, '\\$&')
  return escaped
}

/** Gives a link target as written between the parentheses: bare where it can be, else in `<>`. */
export const formatTarget = (target: string, angle = false): string => {
  const line = target.replace(/\r\n?|\n/g, '%0A')
  const safe = line.replace(/\\(?=[!-/:-@[-`{-~]|$)|&(?=#?\w+;)/g, '\\$&')
  if (!angle && /^[^\s<>()\x00-\x1f\x7f]*$/.test(line)) return safe
  return `<${safe.replace(/[<>]/g, '\\$&')}>`
}
