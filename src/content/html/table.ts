import type { Steps } from '../../lib/slices.ts'
import { onlyImage } from '../markup/lines.ts'
import { isElement, type MarkupElement, pixels, wordsIn } from '../markup/tree.ts'
import { writeCards } from './cards.ts'
import { alignOf, attributesOf, markedAttributes, wordOf } from './change.ts'
import { escapeHtml } from './escape.ts'
import { writeOnlyImage } from './image.ts'
import { writeInlines } from './inline.ts'
import { linkTo, openLink, signOf, targetIn } from './link.ts'
import {
  type Cell,
  hiddenColumns,
  isOn,
  type Row,
  spanOf,
  type Table,
  tableOf,
  writeValue,
} from './rows.ts'
import { isFull, put, putText, type Sheet } from './sheet.ts'

/** Writes a cell that names a page: the page's title, where it is known. */
function writeTarget(sheet: Sheet, cell: MarkupElement): boolean {
  const link = sheet.linked ? undefined : linkTo(sheet, targetIn(cell))
  if (!link || link.title === undefined || link.kind === 'external') return false
  openLink(sheet, link)
  put(sheet, signOf(sheet, link))
  putText(sheet, link.title)
  put(sheet, '</a>')
  return true
}

function* writeContent(
  sheet: Sheet,
  cell: MarkupElement,
  title: MarkupElement | undefined,
): Steps<void> {
  if (title?.attributes['data-type'] === 'content-ref' && writeTarget(sheet, cell)) return
  if (writeValue(sheet, cell, title)) return
  const image = onlyImage(cell.nodes)
  if (image) writeOnlyImage(sheet, image, 'block')
  else if (cell.blocks) yield* sheet.write(cell.nodes, true)
  else writeInlines(sheet, cell.nodes)
}

type Grid = { table: Table; hidden: ReadonlySet<number> }

/** Returns the columns that a cell spans and that are shown. */
function shownSpan({ column, span }: Cell, hidden: ReadonlySet<number>): number {
  if (hidden.size === 0) return span
  let shown = 0
  for (let at = column; at < column + span; at++) if (!hidden.has(at)) shown++
  return shown
}

function openCell(sheet: Sheet, { node }: Cell, head: boolean, span: number): string {
  const name = node.name === 'th' ? 'th' : 'td'
  const rows = spanOf(node.attributes.rowspan)
  const scope = name === 'th' ? ` scope="${head ? 'col' : 'row'}"` : ''
  const spans = `${span > 1 ? ` colspan="${span}"` : ''}${rows > 1 ? ` rowspan="${rows}"` : ''}`

  put(
    sheet,
    `<${name}${markedAttributes(sheet, node, alignOf(node))}${scope}${spans}>${wordOf(sheet, node)}`,
  )

  return `</${name}>`
}

function* writeRow(sheet: Sheet, row: Row, { table, hidden }: Grid): Steps<void> {
  put(sheet, `<tr${markedAttributes(sheet, row.node)}>`)
  let word = wordOf(sheet, row.node)
  const { removed } = sheet
  sheet.removed ||= row.node.attributes.change === 'removed'

  for (const cell of row.cells) {
    if (isFull(sheet)) break
    const span = shownSpan(cell, hidden)
    if (span === 0) continue

    const close = openCell(sheet, cell, row.head, span)

    put(sheet, word)
    word = ''
    yield* writeContent(sheet, cell.node, row.head ? undefined : table.titles[cell.column])
    put(sheet, close)
    if (sheet.blocks++ % 32 === 31) yield
  }

  sheet.removed = removed
  put(sheet, '</tr>\n')
}

function* writeRows(sheet: Sheet, tag: string, rows: readonly Row[], grid: Grid): Steps<void> {
  if (rows.length === 0) return
  put(sheet, `<${tag}>\n`)
  for (const row of rows) {
    if (isFull(sheet)) break
    yield* writeRow(sheet, row, grid)
    if (sheet.blocks++ % 32 === 31) yield
  }
  put(sheet, `</${tag.slice(0, 5)}>\n`)
}

const isBlankRow = ({ cells }: Row): boolean =>
  cells.every(
    ({ node }) => wordsIn(node).trim() === '' && !node.nodes.some(inner => isElement(inner)),
  )

/** Writes the widths that the author gave columns. */
function writeColumns(sheet: Sheet, { table: { titles, columns }, hidden }: Grid): void {
  const widths = Array.from({ length: Math.min(columns, 1000) }, (_, column) =>
    pixels(titles[column]?.attributes.width),
  )
  const shown = widths.filter((_, column) => !hidden.has(column))
  if (shown.every(width => width === undefined)) return
  const cols = shown.map(width => (width === undefined ? '<col>' : `<col width="${width}">`))
  put(sheet, `<colgroup>${cols.join('')}</colgroup>\n`)
}

function* writeGrid(sheet: Sheet, node: MarkupElement, grid: Grid): Steps<void> {
  const { rows } = grid.table
  const heads = rows.findIndex(row => !row.head)
  const first = heads === -1 ? rows.length : heads
  const head = rows.slice(0, first)
  const label = escapeHtml(sheet.options.words.table)
  const wide = isOn(node.attributes['data-full-width']) ? ' wide' : ''

  put(sheet, `<div class="scroll${wide}" tabindex="0" role="group" aria-label="${label}">`)
  put(sheet, `<table${attributesOf(sheet, node)}>\n`)
  writeColumns(sheet, grid)
  const isHidden = isOn(node.attributes['data-header-hidden'])
  if (!head.every(isBlankRow))
    yield* writeRows(sheet, isHidden ? 'thead class="sr"' : 'thead', head, grid)
  yield* writeRows(sheet, 'tbody', rows.slice(first), grid)
  put(sheet, '</table></div>\n')
}

/**
 * Writes a table, or the cards that it means. What stands outside its cells, such as a caption, is
 * written before it.
 */
export function* writeTable(sheet: Sheet, node: MarkupElement): Steps<void> {
  const table = yield* tableOf(node)
  yield* sheet.write(table.beside)
  if (table.rows.length === 0) return
  const grid = { table, hidden: hiddenColumns(table) }
  sheet.depth++
  if (node.attributes['data-view'] === 'cards') yield* writeCards(sheet, node, table)
  else yield* writeGrid(sheet, node, grid)
  sheet.depth--
}
