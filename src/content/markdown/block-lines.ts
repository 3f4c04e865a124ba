import { type Line, lineAt } from '../text/lines.ts'

/** A position in a line. */
type Cursor = {
  source: string
  line: Line
  /** The column may be inside a tab at `pos`. */
  pos: number
  column: number
  /** The first character from `pos` on that is not a space or tab. */
  next: number
  nextColumn: number
}

/** `block` is what the blocks inside have as their `item`. */
type Container = {
  kind: 'quote' | 'item' | 'indented'
  width: number
  block: number
  empty: boolean
}

/** A position in a line, and the containers that are open. */
export type Lines = Cursor & {
  stack: Container[]
  /** The indexes of the quotes in `stack`. */
  quotes: number[]
}

/**
 * Finds the next character that is not a space or tab. Returns true if the rest of the line is
 * blank.
 */
export function peek(scan: Cursor): boolean {
  let { pos, column } = scan
  for (; pos < scan.line.end; pos++) {
    const code = scan.source.charCodeAt(pos)
    if (code === 32) column++
    else if (code === 9) column += 4 - (column % 4)
    else break
  }

  scan.next = pos
  scan.nextColumn = column

  return pos >= scan.line.end
}

/** Advances by columns of spaces and tabs; part of a tab may be consumed. */
export function advance(scan: Cursor, columns: number): void {
  let left = columns
  while (left > 0 && scan.pos < scan.line.end) {
    const width = scan.source.charCodeAt(scan.pos) === 9 ? 4 - (scan.column % 4) : 1
    const step = Math.min(width, left)
    scan.column += step
    left -= step
    if (step === width) scan.pos++
  }
}

/** Advances past the marker of a quote and one space. */
export function skipQuoteMark(scan: Cursor): void {
  scan.pos = scan.next + 1
  scan.column = scan.nextColumn + 1
  const code = scan.source.charCodeAt(scan.pos)
  if (scan.pos < scan.line.end && (code === 32 || code === 9)) advance(scan, 1)
}

/** Moves to the beginning of the next line. */
export function nextLine(scan: Cursor): void {
  const { source } = scan
  scan.line = lineAt(source, scan.line.next)
  scan.pos = scan.line.start
  scan.column = 0
  if (scan.pos === 0 && source.charCodeAt(0) === 0xfeff) scan.pos = 1
}

/** Returns how many of the open containers the line continues. */
export function matchContainers(scan: Lines): number {
  let quote = 0
  let blank = peek(scan)
  for (let at = 0; at < scan.stack.length; at++) {
    const container = scan.stack[at]!
    if (container.kind === 'quote') {
      if (blank || scan.nextColumn - scan.column > 3 || scan.source[scan.next] !== '>') return at
      skipQuoteMark(scan)
      blank = peek(scan)
      quote++
    } else if (blank) {
      // A blank line continues all but a quote and an item without content.
      const last = scan.quotes[quote] ?? scan.stack.length
      return last === scan.stack.length && scan.stack[last - 1]!.empty ? last - 1 : last
    } else if (scan.nextColumn - scan.column >= container.width) advance(scan, container.width)
    else return at
  }

  return scan.stack.length
}
