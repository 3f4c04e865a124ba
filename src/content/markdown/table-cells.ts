import { linesOf } from '../text/lines.ts'
import type { Range } from '../text/range.ts'

const rule = /^(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

/**
 * Returns the cells of a table row, without the markers of quotes before it; a line without `|` is
 * one cell.
 */
function cellsOf(source: string, line: Range): Range[] {
  let start = line.start
  while (start < line.end && /[ \t>]/.test(source[start]!)) start++
  if (source[start] === '|') start++

  const cells: Range[] = []

  for (let at = start; at < line.end; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '|') {
      cells.push({ start, end: at })
      start = at + 1
    }
  }

  if (source.slice(start, line.end).trim() !== '') cells.push({ start, end: line.end })

  return cells
}

/**
 * Yields the parts of a paragraph in which inline elements are found: the cells of a table and the
 * text before it, or the whole.
 */
export function* piecesOf(source: string, range: Range): Generator<Range, void> {
  const text = source.slice(range.start, range.end)
  if (!text.includes('|') || !text.includes('-')) {
    yield range
    return
  }

  const lines = linesOf(source, range.start, range.end).map(({ start, end }) => ({
    start,
    end: Math.min(end, range.end),
  }))

  const isRule = ({ start, end }: Range) => {
    const line = source.slice(start, end)
    return line.includes('|') && rule.test(line.replace(/^[ \t>]+/, '').trimEnd())
  }

  const at = lines.findIndex(
    (line, index) =>
      index > 0 &&
      isRule(line) &&
      cellsOf(source, line).length === cellsOf(source, lines[index - 1]!).length,
  )

  if (at === -1) {
    yield range
    return
  }

  const before = { start: range.start, end: lines[at - 1]!.start }
  if (before.end > before.start) yield before
  yield* cellsOf(source, lines[at - 1]!)
  for (const row of lines.slice(at + 1)) yield* cellsOf(source, row)
}
