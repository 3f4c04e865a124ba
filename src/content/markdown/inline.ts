import type { Range } from '../text/range.ts'
import { htmlTagAt } from './html.ts'

/**
 * An inline element of a paragraph: `start` and `end` include its markers, `text` is the content
 * between them.
 */
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
  /** Brackets below this height can no longer open a link, because links do not nest. */
  closed: number
  codeAt: ReturnType<typeof codeSpans>
  /** Closing strings that the rest of the paragraph does not contain. */
  absent: Set<string>
}

const punctuation = /[!-/:-@[-`{-~]/
const autolink =
  /<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\x00-\x1f]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/y

/** Reports whether a backslash before this character escapes it. */
export const isPunctuation = (char: string | undefined): boolean =>
  char !== undefined && punctuation.test(char)

/**
 * Returns a function that pairs runs of backticks: `size` is the length of the run at `at`, `close`
 * the offset of the run that closes it, if any. Offsets passed to it must not decrease; all calls
 * together are linear in the text.
 */
export function codeSpans(
  source: string,
  start: number,
  end: number,
): (at: number) => { size: number; close: number | undefined } {
  let runs: Map<number, number[]> | undefined
  return at => {
    runs ??= backtickRuns(source, start, end)
    let after = at
    while (after < end && source[after] === '`') after++
    const same = runs.get(after - at) ?? []
    while (same.length > 0 && same.at(-1)! < after) same.pop()
    return { size: after - at, close: same.at(-1) }
  }
}

/** Returns the offsets of the runs of backticks by their length, in descending order. */
function backtickRuns(source: string, start: number, end: number): Map<number, number[]> {
  const runs = new Map<number, number[]>()
  for (let at = source.indexOf('`', start); at !== -1 && at < end; ) {
    let after = at
    while (after < end && source[after] === '`') after++
    const same = runs.get(after - at)
    if (same) same.push(at)
    else runs.set(after - at, [at])
    at = source.indexOf('`', after)
  }

  for (const same of runs.values()) same.reverse()

  return runs
}

function codeSpan(scan: Scan, at: number): number {
  const { size, close } = scan.codeAt(at)
  if (close === undefined) return at + size
  const end = close + size
  scan.found.push({ kind: 'code', start: at, end, text: { start: at + size, end: close } })
  return end
}

function findOnce(scan: Scan, what: string, from: number): number {
  if (scan.absent.has(what)) return -1
  const at = scan.source.slice(from, scan.end).indexOf(what)
  if (at !== -1) return from + at + what.length
  scan.absent.add(what)
  return -1
}

function markup(scan: Scan, at: number): number {
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
    // The hyphens of `<!-->` both open and close the comment.
    const to = findOnce(scan, close, at + 2)
    return to === -1 ? at + 1 : add('html', to)
  }

  autolink.lastIndex = at
  const address = autolink.exec(source)
  if (address && at + address[0].length <= end) return add('autolink', at + address[0].length)

  const tag = htmlTagAt(source, at)

  return tag && at + tag.length <= end ? add('html', at + tag.length) : at + 1
}

function skipSpace(scan: Scan, from: number): number {
  let at = from
  while (at < scan.end && /[ \t\r\n]/.test(scan.source[at]!)) at++
  return at
}

function angleTarget(scan: Scan, from: number): Range | null {
  for (let at = from + 1; at < scan.end; at++) {
    const char = scan.source[at]
    if (char === '>') return { start: from + 1, end: at }
    if (char === '<' || char === '\n' || char === '\r') return null
    if (char === '\\') at++
  }
  return null
}

function bareTarget(scan: Scan, from: number): Range | null {
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

function titleRange(scan: Scan, from: number): Range | null {
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

/** Reads `(target "title")` from its opening parenthesis on. */
function destination(
  scan: Scan,
  from: number,
): Pick<Inline, 'target' | 'angle' | 'linkTitle' | 'end'> | null {
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

function closeBracket(scan: Scan, at: number): number {
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
 * Returns the links, images, autolinks, HTML tags and code spans of one paragraph by the rules of
 * CommonMark, ordered by their ends. Reference links are not among them. Linear in the length of
 * the paragraph.
 */
export function scanInline(source: string, start: number, end: number): Inline[] {
  const scan: Scan = {
    source,
    start,
    end,
    found: [],
    brackets: [],
    closed: 0,
    codeAt: codeSpans(source, start, end),
    absent: new Set(),
  }

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
