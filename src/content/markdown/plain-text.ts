import { listBehind } from './attribute-list.ts'
import { kindOfTag } from './elements.ts'
import { decodeEntities, entityAt } from './entities.ts'
import { type Inline, isPunctuation, scanInline } from './inline.ts'

/** Returns a link target or title with backslash escapes and character references resolved. */
export function unescapeText(raw: string): string {
  if (!/[\\&]/.test(raw)) return raw
  let out = ''
  for (let at = 0; at < raw.length; ) {
    const found = raw[at] === '&' ? entityAt(raw, at) : undefined
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

/** A run of `*`, `_` or `~`, and its index among the pieces of a text. */
type Run = {
  piece: number
  char: string
  size: number
  left: number
  opens: boolean
  closes: boolean
}

const space = /^\s?$/u
const mark = /[\p{P}\p{S}]/u

function runAt(source: string, at: number, end: number, piece: number, stop: number): Run {
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

function pairs(open: Run, close: Run): boolean {
  if (open.char !== close.char) return false
  if (open.char === '~') return open.size === 2 && close.size === 2
  const odd = (open.closes || close.opens) && (open.size + close.size) % 3 === 0
  return !odd || (open.size % 3 === 0 && close.size % 3 === 0)
}

/** Removes the delimiters of emphasis from the pieces by CommonMark's delimiter-stack procedure. */
function dropEmphasis(pieces: string[], runs: Run[]): void {
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

function codeText(raw: string): string {
  const text = raw.replace(/\r\n?|\n/g, ' ')
  return text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '' ? text.slice(1, -1) : text
}

/** Returns what an HTML tag shows: the tag of an unknown element is text. */
function htmlText(tag: string): string {
  if (/^<br\b/i.test(tag)) return ' '
  return /^<[!?]/.test(tag) || kindOfTag(tag) !== 'text' ? '' : decodeEntities(tag)
}

const skipsOf = (source: string, inlines: Inline[]): Skip[] =>
  inlines
    .flatMap(({ kind, start, end, text }) => {
      if (kind === 'code')
        return [{ start, end, text: codeText(source.slice(text.start, text.end)) }]
      if (kind === 'autolink') return [{ start, end, text: source.slice(text.start, text.end) }]
      if (kind === 'html') return [{ start, end, text: htmlText(source.slice(start, end)) }]

      return [
        { start, end: text.start, text: '' },
        { start: text.end, end: listBehind(source, end, kind)?.end ?? end, text: '' },
      ]
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)

/** Characters whose plain text may differ from the source. */
const special = new Set(['\\', '&', '*', '_', '~'])

/**
 * Returns the plain text of inline Markdown: unescaped, without markers of formatting, links and
 * HTML, and with every run of whitespace as one space. Tags of unknown elements are text.
 */
export function plainText(source: string, start = 0, end = source.length): string {
  if (start >= end) return ''
  const skips = skipsOf(source, scanInline(source, start, end))
  const pieces: string[] = []
  const runs: Run[] = []
  let skip = 0
  let plain = ''

  for (let at = start; at < end; ) {
    const next = skips[skip]
    if (next && at >= next.start) {
      skip++
      plain += at > next.start ? '' : next.text
      at = Math.max(at, next.end)
    } else if (delimiters.has(source[at]!)) {
      let to = at
      while (to < end && source[to] === source[at]) to++
      pieces.push(plain, '')
      plain = ''
      runs.push(runAt(source, at, to, pieces.length - 1, end))
      at = to
    } else {
      const { text, length } = textAt(source, at, Math.min(end, next?.start ?? end))
      plain += text
      at += length
    }
  }

  dropEmphasis(pieces, runs)

  // The leading space is removed again. It makes the result a new string instead of a slice that
  // keeps the whole source.
  return onOneLine(` ${pieces.join('')}${plain}`)
}

const delimiters = new Set(['*', '_', '~'])

/**
 * Returns the text at an offset and its length in the source: an escape, a character reference, or
 * text up to `stop`.
 */
function textAt(source: string, at: number, stop: number): { text: string; length: number } {
  if (source[at] === '&') return entityAt(source, at) ?? { text: '&', length: 1 }

  if (source[at] === '\\') {
    const next = source[at + 1]
    if (isPunctuation(next)) return { text: next!, length: 2 }
    return { text: /[\r\n]/.test(next ?? '') ? '' : '\\', length: 1 }
  }

  // Copied in runs: a megabyte letter by letter would create as many strings.
  let end = at + 1
  while (end < stop && !special.has(source[end]!)) end++

  return { text: source.slice(at, end), length: end - at }
}

const onOneLine = (text: string): string => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
const everyMark = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
const needed = (text: string): string =>
  text
    .replace(/[\\`*[\]<]|&(?=#?\w+;)|~(?=~)|(?<=~)~/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')

/**
 * Returns inline Markdown on one line that reads as exactly this text, with as few escapes as
 * possible.
 */
export function escapeText(text: string): string {
  const line = onOneLine(text)
  const few = needed(line)
  return plainText(few) === line ? few : everyMark(line)
}

/** Returns inline Markdown for a piece of a longer text; its spaces and line endings stay. */
export function escapeWords(text: string): string {
  const few = needed(text).replace(/\{(?=%)|\$(?=\$)|(?<=\$)\$/g, '\\$&')
  return plainText(few) === onOneLine(text) ? few : everyMark(text)
}

/** Returns inline Markdown that can begin a line without starting another block. */
export const escapeLine = (text: string): string => guardLine(escapeText(text))

/** Escapes the beginning of a line of inline Markdown if it would start another block. */
export function guardLine(escaped: string): string {
  if (/^(?:[+>#=-]|\d{1,9}[.)])/.test(escaped)) return escaped.replace(/[+>#=.)-]/, '\\$&')
  return escaped
}

/** Returns a link target as written between parentheses: bare if possible, otherwise in `<>`. */
export function formatTarget(target: string, angle = false): string {
  const line = target.replace(/\r\n?|\n/g, '%0A')
  const safe = line.replace(/\\(?=[!-/:-@[-`{-~]|$)|&(?=#?\w+;)/g, '\\$&')
  if (!angle && /^[^\s<>()\x00-\x1f\x7f]*$/.test(line)) return safe
  return `<${safe.replace(/[<>]/g, '\\$&')}>`
}
