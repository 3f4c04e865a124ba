import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'

/** A cell of a table: its offsets in the document, without the bars beside it. */
type Cell = { from: number; to: number }

/** A table of Markdown in a document; `rows[1]` is the row below the heads, with the alignment. */
type Table = { from: number; to: number; rows: Cell[][] }

/** A place in a table, and the table. The row of the alignment is row 1. */
export type TablePlace = { table: Table; row: number; column: number }

type Alignment = 'left' | 'center' | 'right' | 'none'

/** The most lines that are looked at above and below the cursor. */
const mostRows = 2_000

const delimiter = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

const isRow = (text: string): boolean => text.includes('|') && text.trim() !== ''

/** Returns the place of the cursor in a table; undefined if it is in none. */
export function tableAt(
  state: EditorState,
  at = state.selection.main.head,
): TablePlace | undefined {
  const { doc } = state
  const line = doc.lineAt(at)
  if (!isRow(line.text)) return undefined
  let [first, last] = [line.number, line.number]
  while (first > 1 && line.number - first < mostRows && isRow(doc.line(first - 1).text)) first--
  while (last < doc.lines && last - line.number < mostRows && isRow(doc.line(last + 1).text)) last++
  if (first === last || !delimiter.test(doc.line(first + 1).text)) return undefined

  const rows: Cell[][] = []
  for (let number = first; number <= last; number++) {
    const { text, from } = doc.line(number)
    rows.push(cellsOf(text, from))
  }

  const row = line.number - first
  const cells = rows[row]!
  const column = Math.max(
    0,
    cells.findIndex(({ to }) => at <= to),
  )
  const place = at > (cells.at(-1)?.to ?? 0) ? cells.length - 1 : column

  return {
    table: { from: doc.line(first).from, to: doc.line(last).to, rows },
    row,
    column: Math.max(0, place),
  }
}

/** Returns the cells of a row that begins at an offset. A bar after a backslash is a part of one. */
function cellsOf(text: string, offset: number): Cell[] {
  const bars: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '|') bars.push(at)
  }

  const end = text.trimEnd().length
  const start = text.length - text.trimStart().length
  const edges = [
    ...(bars[0] === start ? [] : [start - 1]),
    ...bars,
    ...(bars.at(-1) === end - 1 ? [] : [end]),
  ]

  return edges
    .slice(0, -1)
    .map((edge, at) => ({ from: offset + edge + 1, to: offset + edges[at + 1]! }))
}

const done = { scrollIntoView: true, userEvent: 'input' }

/** Returns the selection of what a cell has. */
function inCell(state: EditorState, { from, to }: Cell): EditorSelection {
  const text = state.sliceDoc(from, to)
  const start = from + (text.length - text.trimStart().length)
  const end = from + text.trimEnd().length
  const empty = Math.min(to, from + 1)
  return text.trim() === '' ? EditorSelection.single(empty) : EditorSelection.single(start, end)
}

/**
 * Returns the change that moves the cursor to the next or the previous cell; behind the last one
 * there is a new row. Returns undefined outside of tables.
 */
export function nextCell(state: EditorState, step: 1 | -1): TransactionSpec | undefined {
  const place = tableAt(state)
  if (!place) return undefined
  let { row, column } = place
  const { rows } = place.table
  column += step

  if (column < 0 || column >= rows[row]!.length) {
    row += step
    if (row === 1) row += step
    if (row < 0) return undefined
    if (row >= rows.length) return addRow(state, place)
    column = step === 1 ? 0 : rows[row]!.length - 1
  }

  return { selection: inCell(state, rows[row]![column]!), scrollIntoView: true }
}

/** Returns the change that adds an empty row below that of the cursor. */
export function addRow(state: EditorState, { table, row }: TablePlace): TransactionSpec {
  const at = Math.max(1, row)
  const { from, to } = lineOf(state, table, at)
  const indent = /^[ \t]*/.exec(state.sliceDoc(from, to))?.[0] ?? ''
  const columns = table.rows[0]!.length
  const insert = `\n${indent}|${'   |'.repeat(columns)}`
  return {
    ...done,
    changes: { from: to, insert },
    selection: EditorSelection.single(to + 1 + indent.length + 2),
  }
}

/** Returns the change that removes the row of the cursor; undefined for the heads. */
export function removeRow(
  state: EditorState,
  { table, row }: TablePlace,
): TransactionSpec | undefined {
  if (row < 2) return undefined
  const { from, to } = lineOf(state, table, row)
  return { ...done, changes: { from: from - 1, to } }
}

/** Returns the change that moves the row of the cursor up or down; undefined at the ends. */
export function moveRow(
  state: EditorState,
  { table, row }: TablePlace,
  step: 1 | -1,
): TransactionSpec | undefined {
  const other = row + step
  if (row < 2 || other < 2 || other >= table.rows.length) return undefined
  const [one, two] = [lineOf(state, table, row), lineOf(state, table, other)]
  const [first, second] = [state.sliceDoc(one.from, one.to), state.sliceDoc(two.from, two.to)]
  const offset = state.selection.main.head - one.from
  const changes = [
    { from: one.from, to: one.to, insert: second },
    { from: two.from, to: two.to, insert: first },
  ]
  const start = step === 1 ? two.from + second.length - first.length : two.from
  return { ...done, changes, selection: EditorSelection.single(start + offset) }
}

/** Returns the change that adds an empty column behind that of the cursor. */
export function addColumn(_state: EditorState, { table, column }: TablePlace): TransactionSpec {
  const changes = table.rows.flatMap((cells, row) => {
    const cell = cells[column]
    return cell ? [{ from: cell.to, insert: row === 1 ? '| --- ' : '|   ' }] : []
  })
  return { ...done, changes }
}

/** Returns the change that removes the column of the cursor; undefined for the only one. */
export function removeColumn(
  state: EditorState,
  { table, column }: TablePlace,
): TransactionSpec | undefined {
  if (table.rows[0]!.length < 2) return undefined
  const changes = table.rows.flatMap(cells => {
    const cell = cells[column]
    if (!cell) return []
    const hasBar = state.sliceDoc(cell.to, cell.to + 1) === '|'
    return [hasBar ? { from: cell.from, to: cell.to + 1 } : { from: cell.from - 1, to: cell.to }]
  })
  return { ...done, changes }
}

/** Returns the change that moves the column of the cursor; undefined at the ends. */
export function moveColumn(
  state: EditorState,
  { table, column }: TablePlace,
  step: 1 | -1,
): TransactionSpec | undefined {
  const other = column + step
  if (other < 0 || other >= table.rows[0]!.length) return undefined
  const changes = table.rows.flatMap(cells => {
    const [one, two] = [cells[column], cells[other]]
    if (!one || !two) return []
    return [
      { ...one, insert: state.sliceDoc(two.from, two.to) },
      { ...two, insert: state.sliceDoc(one.from, one.to) },
    ]
  })
  return { ...done, changes }
}

const marks: Record<Alignment, string> = {
  left: ' :--- ',
  center: ' :---: ',
  right: ' ---: ',
  none: ' --- ',
}

/** Returns the change that aligns the column of the cursor. */
export function alignColumn(
  _state: EditorState,
  { table, column }: TablePlace,
  alignment: Alignment,
): TransactionSpec | undefined {
  const cell = table.rows[1]?.[column]
  return cell && { ...done, changes: { ...cell, insert: marks[alignment] } }
}

function lineOf(state: EditorState, { from }: Table, row: number): Cell {
  const first = state.doc.lineAt(from).number
  const line = state.doc.line(first + row)
  return { from: line.from, to: line.to }
}
