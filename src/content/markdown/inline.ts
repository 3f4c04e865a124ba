import type { Range } from '../text/range.ts'
import { htmlTag } from './html.ts'

/** What stands in a paragraph besides words: `start` and `end` are the whole, `text` what is between the marks. */
export type Inline = {
  kind: 'link' | 'image' | 'autolink' | 'html' | 'code'
  start: number
  end: number
  text: Range
  /** A link's target as written, without `<>`. */
  target?: Range
  angle?: boolean
  linkTitle?: Range
}

type Bracket = { at: number; image: boolean }
type Scan = {
  source: string
  start: number
  end: number
  found: Inline[]
  brackets: Bracket[]
  /** Link brackets below this height cannot open a link any more: links do not nest. */
  closed: number
  runs: Map<number, number[]> | null
  /** What was looked for to the end in vain. */
  absent: Set<string>
}

const punctuation = /[!-/:-@[-`{-~]/
const autolink = /<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\x00-\x1f]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/y

/** Says whether a backslash before this character escapes it. */
export const isPunctuation = (char: string | undefined): boolean =>
  char !== undefined && punctuation.test(char)

const backtickRuns = (scan: Scan): Map<number, number[]> => {
  const runs = new Map<number, number[]>()
  for (let at = scan.source.indexOf('`', scan.start); at !== -1 && at < scan.end; ) {
    let end = at
    while (end < scan.end && scan.source[end] === '`') end++
    const list = runs.get(end - at)
    if (list) list.push(at)
    else runs.set(end - at, [at])
    at = scan.source.indexOf('`', end)
  }
  for (const list of runs.values()) list.reverse()
  return runs
}

const codeSpan = (scan: Scan, at: number): number => {
  let end = at
  while (end < scan.end && scan.source[end] === '`') end++
  scan.runs ??= backtickRuns(scan)
  const list = scan.runs.get(end - at) ?? []
  while (list.length > 0 && list.at(-1)! < end) list.pop()
  const close = list.at(-1)
  if (close === undefined) return end
  const after = close + end - at
  scan.found.push({ kind: 'code', start: at, end: after, text: { start: end, end: close } })
  return after
}

const findOnce = (scan: Scan, what: string, from: number): number => {
  if (scan.absent.has(what)) return -1
  const at = scan.source.slice(from, scan.end).indexOf(what)
  if (at !== -1) return from + at + what.length
  scan.absent.add(what)
  return -1
}

const markup = (scan: Scan, at: number): number => {
  const { source, end } = scan
  const add = (kind: 'html' | 'autolink', to: number) => {
    const inside = kind === 'html' ? { start: at, end: to } : { start: at + 1, end: to - 1 }
    scan.found.push({ kind, start: at, end: to, text: inside })
    return to
  }
  for (const [open, close] of [
    ['<!--', '-->'],
    ['<?', '?>'],
    ['<![CDATA[', ']]>'],
    ['<!', '>'],
  ] as const) {
    if (!source.startsWith(open, at)) continue
    const to = findOnce(scan, close, at + open.length)
    return to === -1 ? at + 1 : add('html', to)
  }
  autolink.lastIndex = at
  const address = autolink.exec(source)
  if (address && at + address[0].length <= end) return add('autolink', at + address[0].length)
  const tag = htmlTag()
  tag.lastIndex = at
  const found = tag.exec(source)
  return found && at + found[0].length <= end ? add('html', at + found[0].length) : at + 1
}

const skipSpace = (scan: Scan, from: number): number => {
  let at = from
  while (at < scan.end && /[ \t\r\n]/.test(scan.source[at]!)) at++
  return at
}

const angleTarget = (scan: Scan, from: number): Range | null => {
  for (let at = from + 1; at < scan.end; at++) {
    const char = scan.source[at]
    if (char === '>') return { start: from + 1, end: at }
    if (char === '<' || char === '\n' || char === '\r') return null
    if (char === '\\') at++
  }
  return null
}

const bareTarget = (scan: Scan, from: number): Range | null => {
  let depth = 0
  let at = from
  for (; at < scan.end; at++) {
    const char = scan.source[at]!
    if (char === '\\' && isPunctuation(scan.source[at + 1])) at++
    else if (char === '(' && ++depth > 32) return null
    else if (char === ')' && depth-- === 0) break
    else if (char <= ' ' || char === '\x7f') break
  }
  return depth > 0 ? null : { start: from, end: at }
}

const titleRange = (scan: Scan, from: number): Range | null => {
  const open = scan.source[from]
  const close = open === '(' ? ')' : open
  for (let at = from + 1; at < scan.end; at++) {
    const char = scan.source[at]
    if (char === close) return { start: from + 1, end: at }
    if (char === '(' && open === '(') return null
    if (char === '\\') at++
  }
  return null
}

/** Reads `(target "title")` from its parenthesis on. */
const destination = (
  scan: Scan,
  from: number,
): Pick<Inline, 'target' | 'angle' | 'linkTitle' | 'end'> | null => {
  const start = skipSpace(scan, from + 1)
  const angle = scan.source[start] === '<'
  const target = angle ? angleTarget(scan, start) : bareTarget(scan, start)
  if (!target) return null
  const after = target.end + (angle ? 1 : 0)
  let at = skipSpace(scan, after)
  if (at < scan.end && scan.source[at] === ')') return { target, angle, end: at + 1 }
  if (at === after || at >= scan.end || !/["'(]/.test(scan.source[at]!)) return null
  const linkTitle = titleRange(scan, at)
  if (!linkTitle) return null
  at = skipSpace(scan, linkTitle.end + 1)
  return at < scan.end && scan.source[at] === ')' ? { target, angle, linkTitle, end: at + 1 } : null
}

const closeBracket = (scan: Scan, at: number): number => {
  const opener = scan.brackets.pop()
  if (!opener) return at + 1
  const height = scan.brackets.length
  const dead = !opener.image && height < scan.closed
  scan.closed = Math.min(scan.closed, height)
  if (dead || at + 1 >= scan.end || scan.source[at + 1] !== '(') return at + 1
  const parts = destination(scan, at + 1)
  if (!parts) return at + 1
  const textStart = opener.at + (opener.image ? 2 : 1)
  const kind = opener.image ? 'image' : 'link'
  scan.found.push({ kind, start: opener.at, text: { start: textStart, end: at }, ...parts })
  if (!opener.image) scan.closed = height
  return parts.end
}

/**
 * Gives the links, images, autolinks, HTML tags and code spans of one paragraph, by where they end, as CommonMark
 * has them (reference links apart). Linear in the length of the paragraph.
 */
export const scanInline = (source: string, start: number, end: number): Inline[] => {
  const scan: Scan = { source, start, end, found: [], brackets: [], closed: 0, runs: null, absent: new Set() }
  for (let at = start; at < end; ) {
    const char = source[at]
    if (char === '\\') at += 2
    else if (char === '`') at = codeSpan(scan, at)
    else if (char === '<') at = markup(scan, at)
    else if (char === '!' && source[at + 1] === '[') {
      scan.brackets.push({ at, image: true })
      at += 2
    } else if (char === '[') scan.brackets.push({ at: at++, image: false })
    else if (char === ']') at = closeBracket(scan, at)
    else at++
  }
  return scan.found
}
