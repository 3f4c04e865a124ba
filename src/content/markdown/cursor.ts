import type { Line } from '../text/lines.ts'

/** How far a line has been read. */
export type Cursor = {
  source: string
  line: Line
  /** The column may lie inside a tab at `pos`. */
  pos: number
  column: number
  /** The first character that is not a blank, from `pos`. */
  next: number
  nextColumn: number
}

/** Finds the next character that is not a blank; says whether there is none. */
export const peek = (scan: Cursor): boolean => {
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

/** Goes on by columns of blanks; a tab may be used up in part. */
export const advance = (scan: Cursor, columns: number): void => {
  let left = columns
  while (left > 0 && scan.pos < scan.line.end) {
    const width = scan.source.charCodeAt(scan.pos) === 9 ? 4 - (scan.column % 4) : 1
    const step = Math.min(width, left)
    scan.column += step
    left -= step
    if (step === width) scan.pos++
  }
}

/** Goes past the mark of a quote and one blank. */
export const skipQuoteMark = (scan: Cursor): void => {
  scan.pos = scan.next + 1
  scan.column = scan.nextColumn + 1
  const code = scan.source.charCodeAt(scan.pos)
  if (scan.pos < scan.line.end && (code === 32 || code === 9)) advance(scan, 1)
}
