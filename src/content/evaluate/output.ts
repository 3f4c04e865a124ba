import { findTags } from '../markdown/tags.ts'
import { blanksBefore, isBlank, lineAt, lineStart, skipBlanks } from '../text/lines.ts'

/**
 * The output of a page that is rewritten from start to end: everything not removed or replaced is
 * copied byte for byte.
 */
export type Output = {
  source: string
  /** The offset of the page's text, behind its front matter. */
  body: number
  pieces: string[]
  /** The offset up to which the source is processed. */
  at: number
  /** The pieces of the current output line so far. */
  line: string[]
  /** Properties of the previous output line, computed once per line, however many tags follow. */
  before: { isBlank: boolean; goesOn: boolean }
  /** Lines were removed behind a line that would continue in the text that follows. */
  gap: boolean
}

/** Starts the output of a page whose text begins at `body`. */
export const openOutput = (source: string, body: number): Output => ({
  source,
  body,
  pieces: [source.slice(0, body)],
  at: body,
  line: [],
  before: { isBlank: true, goesOn: false },
  gap: false,
})

/** Returns the output character that will precede the given source offset; '' for none. */
export const charBefore = ({ source, at, line }: Output, start: number): string =>
  start > at ? source[start - 1]! : (line.at(-1)?.at(-1) ?? '')

/** Replaces a range by a text; an empty text removes the line too if it would become blank. */
export function replace(output: Output, start: number, end: number, text: string): void {
  // A blank line would end the paragraph or HTML block around it.
  const lines = text === '' && linesAround(output, start, end)
  if (lines) {
    takeOut(output, lines)
    return
  }

  keepTo(output, start)
  if (output.gap) put(output, eolBefore(output.source, start))
  output.gap = false
  put(output, text)
  output.at = end
}

/** Removes a tag, with its line if the tag is alone on it. */
export function cut(output: Output, start: number, end: number): void {
  const lines = linesAround(output, start, end)
  takeOut(output, lines ?? { start, end })
  if (lines) output.gap ||= output.before.goesOn
}

/**
 * Removes everything from one tag to another, and one of two blank lines that would become
 * adjacent.
 */
export function drop(output: Output, start: number, end: number): void {
  const { source, at } = output
  const lines = linesAround(output, start, end)
  if (!lines) {
    takeOut(output, { start, end })
    return
  }

  const isLast = lines.end >= source.length

  takeOut(output, isLast ? { ...lines, start: blanksBefore(source, lines.start, at) } : lines)
  const { before } = output
  const next = before.isBlank && !output.gap ? blankLineAt(source, output.at) : undefined
  if (next !== undefined) output.at = next
  output.gap ||= before.goesOn
}

/** Copies the rest of the source and returns the page. */
export function finish(output: Output): string {
  keepTo(output, output.source.length)
  return output.pieces.join('')
}

function put(output: Output, text: string): void {
  if (text === '') return
  output.pieces.push(text)
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))

  if (end < 0) {
    output.line.push(text)
    return
  }

  const stop = text[end] === '\n' && text[end - 1] === '\r' ? end - 1 : end
  const start = lineStart(text, stop)
  const last = text.slice(start, stop)

  endLine(output, start === 0 ? output.line.join('') + last : last)
  output.line = end + 1 < text.length ? [text.slice(end + 1)] : []
}

function endLine(output: Output, line: string): void {
  output.before = { isBlank: isBlank(line, 0, line.length), goesOn: goesOn(line) }
}

/**
 * Returns the offset behind a blank line that begins at `at`; undefined if the line is not blank.
 */
function blankLineAt(source: string, at: number): number | undefined {
  const end = skipBlanks(source, at)
  return isLineEnd(source, end) ? lineAt(source, end).next : undefined
}

function keepTo(output: Output, end: number): void {
  const { source, at } = output
  if (end <= at) return

  if (output.gap) {
    const next = lineAt(source, at)
    if (goesOn(source.slice(next.start, next.end))) put(output, eolBefore(source, at))
    output.gap = false
  }

  put(output, source.slice(at, end))
  output.at = end
}

function takeOut(output: Output, { start, end }: { start: number; end: number }): void {
  keepTo(output, start)
  output.at = end
}

/**
 * Returns the lines of a range if they contain nothing else. Scans only up to the next character
 * that is not blank, because a line may hold thousands of tags.
 */
function linesAround({ source, body, at }: Output, start: number, end: number) {
  const last = skipBlanks(source, end)
  if (!isLineEnd(source, last)) return undefined
  let from = start
  while (from > at && (source[from - 1] === ' ' || source[from - 1] === '\t')) from--
  const begins = from === body || /[\r\n]/.test(source[from - 1]!)
  return begins ? { start: from, end: lineAt(source, last).next } : undefined
}

/** Returns whether a range that is not processed yet is alone on its lines. */
export const isAlone = (output: Output, start: number, end: number): boolean =>
  linesAround(output, start, end) !== undefined

const isLineEnd = (source: string, at: number): boolean =>
  at >= source.length || source[at] === '\n' || source[at] === '\r'

/**
 * Returns whether a line would continue in the next one: it is neither blank nor a block tag, which
 * would separate them.
 */
function goesOn(line: string): boolean {
  const text = line.replace(/^[ \t>]+/, '').trimEnd()
  if (text === '') return false
  const tags = text.startsWith('{%') ? findTags(text) : []
  return tags[0]?.start !== 0 || tags.at(-1)!.end !== text.length
}

/** Returns the line end in front of an offset. */
const eolBefore = (source: string, at: number): string =>
  source[at - 1] === '\n'
    ? source[at - 2] === '\r'
      ? '\r\n'
      : '\n'
    : source[at - 1] === '\r'
      ? '\r'
      : '\n'
