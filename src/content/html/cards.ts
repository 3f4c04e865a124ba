import type { Steps } from '../../lib/slices.ts'
import { imageIn, type MarkupElement, wordsIn } from '../markup/tree.ts'
import { attributesOf, markedAttributes, wordOf } from './change.ts'
import { imageAt, writeImage } from './image.ts'
import { writeInlines } from './inline.ts'
import { brokenClass, linkTo, openLink, signOf, targetIn } from './link.ts'
import { isOn, type Row, type Table, writeValue } from './rows.ts'
import { isFull, put, putText, type Sheet } from './sheet.ts'

/** Returns the cell of a row in the first column whose header has an attribute. */
function cellWith(row: Row, { titles }: Table, name: string): MarkupElement | undefined {
  const column = titles.findIndex(title => isOn(title?.attributes[name]))
  return column === -1 ? undefined : row.cells.find(cell => cell.column === column)?.node
}

/** Returns the target of the image in a cell: of an `<img>`, or of a link to the file. */
const coverIn = (cell: MarkupElement | undefined): string | undefined =>
  cell && (imageIn(cell)?.attributes.src ?? targetIn(cell))

function writeCover(sheet: Sheet, row: Row, table: Table): void {
  const cover = cellWith(row, table, 'data-card-cover')
  const src = coverIn(cover)
  if (!cover || src === undefined || !imageAt(sheet, src)) return
  const alt = imageIn(cover)?.attributes.alt ?? ''
  const image: MarkupElement = { name: 'img', attributes: { src, alt }, nodes: [], blocks: false }
  writeImage(sheet, image, 'cover', coverIn(cellWith(row, table, 'data-card-cover-dark')))
}

/** Returns the cells that a card shows, without empty ones. */
const shownCells = (
  row: Row,
  { titles }: Table,
): { node: MarkupElement; title: MarkupElement | undefined }[] =>
  row.cells
    .filter(({ column }) => !isOn(titles[column]?.attributes['data-hidden']))
    .filter(({ node }) => imageIn(node) !== undefined || wordsIn(node).trim() !== '')
    .map(({ node, column }) => ({ node, title: titles[column] }))

function* writeText(
  sheet: Sheet,
  cell: MarkupElement,
  title: MarkupElement | undefined,
): Steps<void> {
  if (writeValue(sheet, cell, title)) return
  const link =
    title?.attributes['data-type'] === 'content-ref' ? linkTo(sheet, targetIn(cell)) : undefined
  if (link?.title !== undefined) {
    if (!sheet.linked) openLink(sheet, link)
    put(sheet, signOf(sheet, link))
    putText(sheet, link.title)
    if (!sheet.linked) put(sheet, '</a>')
  } else if (cell.blocks) yield* sheet.write(cell.nodes, true)
  else writeInlines(sheet, cell.nodes)
}

function* writeCard(sheet: Sheet, row: Row, table: Table): Steps<void> {
  const target = cellWith(row, table, 'data-card-target')
  const address = target && !sheet.linked ? targetIn(target) : undefined
  const link = linkTo(sheet, address)
  put(sheet, `<li${markedAttributes(sheet, row.node)}>${wordOf(sheet, row.node)}`)
  if (link) openLink(sheet, link, ' class="card"')
  else put(sheet, `<div class="card${address ? ` ${brokenClass(sheet)}`.trimEnd() : ''}">`)

  const { linked } = sheet

  sheet.linked ||= link !== undefined
  writeCover(sheet, row, table)
  const cells = shownCells(row, table)

  for (const { node, title } of cells) {
    put(sheet, '<div>')
    yield* writeText(sheet, node, title)
    put(sheet, '</div>')
  }

  // A link needs words.
  if (cells.length === 0 && link) putText(sheet, link.title ?? link.href)
  sheet.linked = linked
  put(sheet, link ? '</a></li>\n' : '</div></li>\n')
}

/** Writes the rows of a table as cards. A card with a target is a link as a whole. */
export function* writeCards(sheet: Sheet, node: MarkupElement, table: Table): Steps<void> {
  const rows = table.rows.filter(row => !row.head)
  if (rows.length === 0) return
  const large = node.attributes['data-card-size'] === 'large' ? 'large' : ''
  put(sheet, `<ul${attributesOf(sheet, node, 'cards', large)}>\n`)

  for (const row of rows) {
    if (isFull(sheet)) break
    yield* writeCard(sheet, row, table)
    if (sheet.blocks++ % 32 === 31) yield
  }

  put(sheet, '</ul>\n')
}
