import { linesOf } from '../text/lines.ts'
import type { Range } from '../text/range.ts'

const rule = /^(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

/** Returns the cells of a table row, without the markers of quotes before it; a line without `|` is one cell. */
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

/** Returns the parts of a paragraph in which inline elements are found: the cells of a table and the text before it, or the whole. */
export function piecesOf(source: string, range: Range): Range[] {
  const text = source.slice(range.start, range.end)
  if (!text.includes('|') || !text.includes('-')) return [range]
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
      index > 0 && isRule(line) && cellsOf(source, line).length === cellsOf(source, lines[index - 1]!).length,
  )
  if (at === -1) return [range]
  const rows = [...lines.slice(at - 1, at), ...lines.slice(at + 1)]
  const before = { start: range.start, end: lines[at - 1]!.start }
  return [...(before.end > before.start ? [before] : []), ...rows.flatMap(row => cellsOf(source, row))]
}
