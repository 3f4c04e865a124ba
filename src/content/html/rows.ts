import type { Steps } from '../../lib/slices.ts'
import { cellValue, starsOf } from '../markup/cell-value.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { escapeHtml } from './escape.ts'
import { put, type Sheet } from './sheet.ts'

/** A cell with its first column, counted from 0, and the columns it spans. */
export type Cell = { node: MarkupElement; column: number; span: number }
/** A row. `head`: of the head, or with header cells alone. */
export type Row = { node: MarkupElement; cells: Cell[]; head: boolean }
/**
 * The rows of a table; `titles` are the header cells by column, `beside` is what stands outside the
 * cells.
 */
export type Table = {
  rows: Row[]
  columns: number
  titles: (MarkupElement | undefined)[]
  beside: MarkupNode[]
}

/** The most columns or rows that a cell spans. */
const widest = 100

/** Returns how many columns or rows an attribute spans. */
export const spanOf = (value: string | undefined): number =>
  Math.max(1, Math.min(widest, Number(/^\s*(\d{1,3})\s*$/.exec(value ?? '')?.[1] ?? 1)))

function rowOf(node: MarkupElement, beside: MarkupNode[]): Row {
  const cells: Cell[] = []
  let column = 0
  for (const inner of node.nodes) {
    if (!isElement(inner) || (inner.name !== 'td' && inner.name !== 'th')) {
      beside.push(inner)
      continue
    }
    const span = spanOf(inner.attributes.colspan)
    cells.push({ node: inner, column, span })
    column += span
  }

  return { node, cells, head: cells.length > 0 && cells.every(({ node }) => node.name === 'th') }
}

function* search(table: Table, nodes: readonly MarkupNode[], head: boolean): Steps<void> {
  for (const [at, node] of nodes.entries()) {
    if (at % 128 === 127) yield
    if (isElement(node) && node.name === 'tr') {
      const row = rowOf(node, table.beside)
      if (row.cells.length > 0) table.rows.push(head ? { ...row, head } : row)
    } else if (isElement(node) && /^(?:thead|tbody|tfoot|group)$/.test(node.name))
      yield* search(table, node.nodes, head || node.name === 'thead')
    else table.beside.push(node)
  }
}

/** Reports whether a flag of a table or column is set. */
export const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false'

/** Returns the rows and columns of a table, in steps. */
export function* tableOf({ nodes }: MarkupElement): Steps<Table> {
  const table: Table = { rows: [], columns: 0, titles: [], beside: [] }
  yield* search(table, nodes, false)

  for (const { cells } of table.rows) {
    const last = cells.at(-1)!
    table.columns = Math.max(table.columns, last.column + last.span)
  }

  const [first] = table.rows
  if (first?.head) for (const { node, column } of first.cells) table.titles[column] = node

  return table
}

/** Returns which columns are hidden; none if all would be. */
export function hiddenColumns({ titles, columns }: Table): ReadonlySet<number> {
  const hidden = new Set<number>()
  for (const [column, title] of titles.entries())
    if (isOn(title?.attributes['data-hidden'])) hidden.add(column)
  return hidden.size < columns ? hidden : new Set()
}

/**
 * Writes the checkbox or the rating of a cell. Returns false, and writes nothing, if the cell has
 * neither.
 */
export function writeValue(
  sheet: Sheet,
  cell: MarkupElement,
  title: MarkupElement | undefined,
): boolean {
  const value = cellValue(title, cell)
  if (value?.kind === 'checkbox') {
    const label = escapeHtml(title ? wordsIn(title).trim().slice(0, 300) : '')
    put(
      sheet,
      `<input type="checkbox" disabled${value.checked ? ' checked' : ''} aria-label="${label}">`,
    )
  } else if (value) {
    const { stars, most } = value
    put(sheet, `<span role="img" aria-label="${stars}/${most}">${starsOf(stars, most)}</span>`)
  }

  return value !== undefined
}
