import { cellValue, starsOf } from '../markup/cell-value.ts'
import { imageIn, isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { type ColumnCells, columnsOf } from './columns.ts'
import { writeInlines } from './inline.ts'
import {
  call,
  hasRoom,
  linked,
  linkOf,
  literal,
  quietly,
  type Sheet,
  write,
  writeWords,
} from './sheet.ts'

/** A table with more columns is shown as lines of text. */
const widest = 24

type Cell = { node: MarkupElement; column: number; span: number }
type Row = { cells: Cell[]; head: boolean }
type Table = { rows: Row[]; columns: number; titles: (MarkupElement | undefined)[] }

const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false'

function rowOf(tr: MarkupElement): Row {
  const cells: Cell[] = []
  let column = 0
  for (const node of tr.nodes.filter(isElement)) {
    if (node.name !== 'td' && node.name !== 'th') continue
    const span = Math.max(
      1,
      Math.min(widest, Number(/^\d{1,3}$/.exec(node.attributes.colspan ?? '')?.[0] ?? 1)),
    )
    cells.push({ node, column, span })
    column += span
  }

  return { cells, head: cells.length > 0 && cells.every(({ node }) => node.name === 'th') }
}

const rowsIn = (nodes: readonly MarkupNode[]): Row[] =>
  nodes.filter(isElement).flatMap(node => {
    if (node.name === 'tr') return [rowOf(node)]
    if (node.name === 'thead') return rowsIn(node.nodes).map(row => ({ ...row, head: true }))
    return /^(?:tbody|tfoot|group)$/.test(node.name) ? rowsIn(node.nodes) : []
  })

function tableOf({ nodes }: MarkupElement): Table {
  const rows = rowsIn(nodes).filter(({ cells }) => cells.length > 0)
  const columns = rows.reduce(
    (most, { cells }) => Math.max(most, cells.at(-1)!.column + cells.at(-1)!.span),
    0,
  )
  const titles: (MarkupElement | undefined)[] = []
  const [first] = rows
  if (first?.head) for (const { node, column } of first.cells) titles[column] = node

  return { rows, columns, titles }
}

function writeCell(sheet: Sheet, { nodes, blocks }: MarkupElement): void {
  sheet.spaced = true
  if (blocks) sheet.blocks(nodes)
  else writeInlines(sheet, nodes)
}

/** Writes a cell of a column of link targets: the title of the page. */
function writeTarget(sheet: Sheet, cell: MarkupElement): void {
  const target = targetIn(cell)
  const link = target === undefined ? undefined : linkOf(sheet, target)
  if (!link) {
    writeCell(sheet, cell)
    return
  }

  sheet.spaced = true
  const words = cell.nodes.map(wordsIn).join('').trim()

  linked(sheet, link, () =>
    writeWords(sheet, ('page' in link ? sheet.printing.titles.get(link.page) : undefined) ?? words),
  )
}

/** Writes a cell of a column as the type of the column says. */
function writeTyped(sheet: Sheet, cell: MarkupElement, title: MarkupElement | undefined): void {
  const value = cellValue(title, cell)
  if (value?.kind === 'checkbox') write(sheet, `check(${value.checked});`)
  else if (value) writeWords(sheet, starsOf(value.stars, value.most))
  else if (title?.attributes['data-type'] === 'content-ref') writeTarget(sheet, cell)
  else writeCell(sheet, cell)
}

function targetIn(node: MarkupElement): string | undefined {
  if (node.name === 'a' && node.attributes.href) return node.attributes.href
  for (const inner of node.nodes) {
    const found = isElement(inner) ? targetIn(inner) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function alignOf(column: number, rows: readonly Row[]): string {
  const cell = rows[0]?.cells.find(found => found.column === column)?.node
  const align = cell?.attributes.align
  return align === 'center' || align === 'right' ? align : 'left'
}

/** Returns the shown columns, each with the cells that do not span several columns. */
function cellsOf(
  rows: readonly Row[],
  shown: readonly number[],
  titles: Table['titles'],
): ColumnCells[] {
  const found = new Map(shown.map(column => [column, [] as MarkupElement[]]))
  for (const { cells } of rows)
    for (const { node, column, span } of cells) if (span === 1) found.get(column)?.push(node)
  return shown.map(column => ({ cells: found.get(column) ?? [], title: titles[column] }))
}

/** Writes a row; `ems` are the widths of the shown columns. */
function writeRow(
  sheet: Sheet,
  row: Row,
  {
    shown,
    titles,
    ems,
  }: { shown: readonly number[]; titles: Table['titles']; ems: readonly number[] },
): void {
  const { column: outer } = sheet
  let next = 0
  while (next < shown.length) {
    const column = shown[next]!
    const cell = row.cells.find(
      found => found.column <= column && found.column + found.span > column,
    )
    const span = cell
      ? shown.filter(other => other >= column && other < cell.column + cell.span).length
      : 1
    write(sheet, `${row.head ? 'head' : 'table.cell'}(colspan: ${span}, {[];`)
    sheet.column = ems.slice(next, next + span).reduce((sum, width) => sum + width, 0)
    if (cell && row.head) writeCell(sheet, cell.node)
    else if (cell) writeTyped(sheet, cell.node, titles[column])
    write(sheet, '}), ')
    next += span
  }

  sheet.column = outer
}

function writeGrid(
  sheet: Sheet,
  { rows, titles }: Table,
  shown: readonly number[],
  headless: boolean,
): void {
  const aligns = shown.map(column => alignOf(column, rows)).join(', ')
  const { widths, ems } = columnsOf(cellsOf(rows, shown, titles), sheet.depth, sheet.column)
  const grid = { shown, titles, ems }
  write(sheet, `sheet-table((${widths},), (${aligns},), `)
  sheet.depth++
  const heads = rows.findIndex(row => !row.head)
  const first = heads === -1 ? rows.length : heads
  const head = headless ? [] : rows.slice(0, first)
  const words = head
    .flatMap(({ cells }) => cells.map(({ node }) => wordsIn(node).length))
    .reduce((a, b) => a + b, 0)

  if (head.length > 0) {
    // A header that fills half a page is not repeated on the next.
    write(sheet, `table.header(repeat: ${words < 600 && head.length < 4}, `)
    quietly(sheet, false, () => {
      for (const row of head) writeRow(sheet, row, grid)
    })
    write(sheet, '), ')
  }

  quietly(sheet, true, () => {
    for (const row of rows.slice(first)) writeRow(sheet, row, grid)
  })
  sheet.depth--
  write(sheet, ');\n')
}

function writeCard(sheet: Sheet, row: Row, { titles }: Table): void {
  const cellAt = (column: number) => row.cells.find(cell => cell.column === column)?.node
  const columnWith = (name: string) => titles.findIndex(title => isOn(title?.attributes[name]))
  const target = cellAt(columnWith('data-card-target'))
  const cover = cellAt(columnWith('data-card-cover'))
  const image = cover && imageIn(cover)
  const src = image?.attributes.src ?? (cover && targetIn(cover))
  const file = src === undefined ? undefined : sheet.printing.book.image(sheet.origin.file, src)
  if (file) sheet.printing.images.add(file.name)
  write(sheet, `card(${file ? literal(file.name) : 'none'}, {[];`)

  for (const { node, column } of row.cells) {
    if (
      isOn(titles[column]?.attributes['data-hidden']) ||
      node.nodes.every(inner => wordsIn(inner).trim() === '')
    )
      continue
    write(sheet, 'par({[];')
    writeTyped(sheet, node, titles[column])
    write(sheet, '});')
  }

  if (target && targetIn(target) !== undefined) {
    write(sheet, 'beneath({[];')
    writeTarget(sheet, target)
    write(sheet, '});')
  }

  write(sheet, '}), ')
}

function writeCards(sheet: Sheet, table: Table, large: boolean): void {
  write(
    sheet,
    `cards(${Math.max(1, Math.min(large ? 2 : 3, table.rows.filter(row => !row.head).length))}, `,
  )
  sheet.depth++
  quietly(sheet, false, () => {
    for (const row of table.rows) if (!row.head) writeCard(sheet, row, table)
  })
  sheet.depth--
  write(sheet, ');\n')
}

/**
 * Returns the content of a table outside its cells, such as its caption. Browsers show it before
 * the table.
 */
const besideRows = ({ name, nodes }: MarkupElement): MarkupNode[] =>
  nodes.flatMap(inner => {
    if (!isElement(inner)) return [inner]
    if (/^(?:thead|tbody|tfoot|tr|group)$/.test(inner.name)) return besideRows(inner)
    return name === 'tr' && /^t[dh]$/.test(inner.name) ? [] : [inner]
  })

/**
 * Writes a table or cards. A table with too many columns, or nested too deeply, is written as
 * lines.
 */
export function writeTable(sheet: Sheet, node: MarkupElement): void {
  const table = tableOf(node)
  if (table.rows.length === 0) {
    sheet.blocks(node.nodes)
    return
  }

  sheet.blocks(besideRows(node))

  if (table.columns > widest || !hasRoom(sheet)) {
    for (const { cells } of table.rows)
      call(sheet, 'par(', () => {
        for (const { node: cell } of cells) {
          writeCell(sheet, { ...cell, blocks: false })
          writeWords(sheet, ' · ')
        }
      })
    return
  }

  if (node.attributes['data-view'] === 'cards') {
    writeCards(sheet, table, node.attributes['data-card-size'] === 'large')
    return
  }

  const all = Array.from({ length: table.columns }, (_, column) => column)
  const visible = all.filter(column => !isOn(table.titles[column]?.attributes['data-hidden']))

  writeGrid(
    sheet,
    table,
    visible.length > 0 ? visible : all,
    isOn(node.attributes['data-header-hidden']),
  )
}
