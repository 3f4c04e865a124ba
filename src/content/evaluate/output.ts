import { blanksBefore, isBlank, lineAt, skipBlanks } from '../text/lines.ts'

/** A page as it is written anew, from its beginning on: what is not taken out or replaced stays byte for byte. */
export type Output = {
  source: string
  /** Where the text of the page begins. */
  body: number
  pieces: string[]
  /** How far the source is done with. */
  at: number
  /** The pieces of the last line that are written so far. */
  line: string[]
  /** What is known of the line before it. Worked out once a line, however many tags stand below it. */
  before: { isBlank: boolean; goesOn: boolean }
  /** Lines were taken out behind one that would go on in what follows. */
  gap: boolean
}

/** Begins to write a page anew whose text begins at `body`. */
export const openOutput = (source: string, body: number): Output => ({
  source,
  body,
  pieces: [source.slice(0, body)],
  at: body,
  line: [],
  before: { isBlank: true, goesOn: false },
  gap: false,
})

/** The character that will stand in front of what stands at an offset now; '' for none. */
export const charBefore = ({ source, at, line }: Output, start: number): string =>
  start > at ? source[start - 1]! : (line.at(-1)?.at(-1) ?? '')

/** Puts a text in the place of a stretch; one of no characters takes the line with it where it would be blank. */
export function replace(output: Output, start: number, end: number, text: string): void {
  // A blank line would end the paragraph, or the HTML, in which it stands.
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

/** Takes a tag out, with its line when it stands there alone. */
export function cut(output: Output, start: number, end: number): void {
  const lines = linesAround(output, start, end)
  takeOut(output, lines ?? { start, end })
  if (lines) output.gap ||= output.before.goesOn
}

/** Takes out all from a tag to a tag, and one of the two blank lines that would meet. */
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

/** All of the page, once there is nothing more to be done. */
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
  const start =
    stop === 0 ? 0 : Math.max(text.lastIndexOf('\n', stop - 1), text.lastIndexOf('\r', stop - 1)) + 1
  const last = text.slice(start, stop)
  endLine(output, start === 0 ? output.line.join('') + last : last)
  output.line = end + 1 < text.length ? [text.slice(end + 1)] : []
}

function endLine(output: Output, line: string): void {
  output.before = { isBlank: isBlank(line, 0, line.length), goesOn: goesOn(line) }
}

/** Returns the offset behind a blank line that begins at `at`; undefined when the line is not blank. */
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
 * Returns the whole lines of a stretch when nothing else stands on them. Looks no further than the next character that is
 * not blank: a line may hold many thousands of tags.
 */
function linesAround({ source, body, at }: Output, start: number, end: number) {
  const last = skipBlanks(source, end)
  if (!isLineEnd(source, last)) return undefined
  let from = start
  while (from > at && (source[from - 1] === ' ' || source[from - 1] === '\t')) from--
  const begins = from === body || /[\r\n]/.test(source[from - 1]!)
  return begins ? { start: from, end: lineAt(source, last).next } : undefined
}

const isLineEnd = (source: string, at: number): boolean =>
  at >= source.length || source[at] === '\n' || source[at] === '\r'

/** Whether text of a line would go on in the next one: neither a blank line nor the tag of a block keeps them apart. */
const goesOn = (line: string): boolean => {
  const text = line.replace(/^[ \t>]+/, '').trimEnd()
  return text !== '' && !(text.startsWith('{%') && text.endsWith('%}'))
}

/** The line end in front of an offset. */
const eolBefore = (source: string, at: number): string =>
  source[at - 1] === '\n' ? (source[at - 2] === '\r' ? '\r\n' : '\n') : source[at - 1] === '\r' ? '\r' : '\n'
