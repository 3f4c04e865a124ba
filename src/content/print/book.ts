import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import { blocksAndLines, ownHeading } from '../markup/lines.ts'
import { longestPage, pageTree } from '../markup/parse.ts'
import type { MarkupElement } from '../markup/tree.ts'
import { labelAt, noAnchors } from './anchors.ts'
import { writeBlocks } from './block.ts'
import type { PrintBook, PrintPage } from './book-types.ts'
import { breakable, literal, type Printing, type Sheet, write } from './sheet.ts'
import { printFrame, printStyle } from './style.ts'

/** The most levels of includes within includes. */
const mostIncludes = 6

/** A Typst document, and the names of the images that it shows. */
type Print = { source: string; images: ReadonlySet<string> }

const titleOf = ({ emoji, title }: PrintPage): string =>
  (emoji ? `${emoji} ${title}` : title).trim() || 'Untitled'

const list = (names: readonly string[]): string =>
  `(${names.map(name => `${literal(name)}, `).join('')})`

function languageOf(language: string | undefined): string {
  const found = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}))?$/i.exec(language ?? '')
  if (!found) return 'lang: "en"'
  const script = found[2]?.toLowerCase()
  const region = found[3] ?? (script === 'hant' ? 'tw' : script === 'hans' ? 'cn' : undefined)
  return `lang: "${found[1]!.toLowerCase()}"${region ? `, region: "${region.toUpperCase()}"` : ''}`
}

function dayOf(date: string): string {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)
  const [, year, month, day] = found?.map(Number) ?? []
  if (!year || !month || !day || Number.isNaN(Date.parse(date))) return 'none'
  return `datetime(year: ${year}, month: ${month}, day: ${day})`
}

/** Returns the source before the pages: the style of the book, its title and table of contents. */
function frontOf(book: PrintBook): string {
  const title = literal(book.title.trim() || 'Untitled')
  const { body, mono } = book.fonts
  const revision = [book.date, book.revision].filter(text => text !== '').join('  ·  ')

  return `#let mono-fonts = ${list([...mono, ...body])}
#let short-title = ${literal(book.title.slice(0, 80))}
#set document(title: ${title}, date: ${dayOf(book.date)})
#set text(font: ${list(body)}, ${languageOf(book.language)})
${printStyle}${printFrame}
#{
  v(7.2cm);
  block(width: 100%, below: 20pt, text(size: 32pt, weight: "bold", hyphenate: false, par(leading: 0.5em, {[];${breakable(book.title)}})));
  line(length: 3.2cm, stroke: 2.2pt + accent);
  ${book.subtitle ? `block(width: 86%, above: 1.4em, text(size: 14pt, fill: faint, {[];${breakable(book.subtitle)}}));` : ''}
  v(1fr);
  text(size: 9.5pt, fill: faint, {[];${breakable(revision)}});
  ${(book.notes ?? []).map(note => `block(above: 1em, text(size: 9.5pt, fill: hues.warning, {[];${breakable(note)}}));`).join('\n  ')}
  pagebreak();
  ${book.pages.length > 1 ? 'outline(indent: 0pt, depth: 6);' : ''}
}
`
}

/**
 * Replaces the includes of a page by their content, within the page's room. A file is not included
 * in itself.
 */
function* include(sheet: Sheet, root: MarkupElement, trail: readonly string[]): Steps<void> {
  const { origins, origin, printing } = sheet
  for (const node of root.nodes) {
    if (typeof node === 'string') continue

    if (node.name !== '%include') {
      if (node.blocks) yield* include(sheet, node, trail)
      continue
    }

    const found = printing.book.include(origin.file, node.attributes.src ?? '')
    sheet.room -= found ? found.markdown.length + 100 : 0
    node.name = 'group'
    if (!found || trail.includes(found.path) || trail.length > mostIncludes || sheet.room < 0)
      continue

    const { root: tree, notes } = yield* pageTree(found.markdown, found.path)

    node.name = '%origin'
    node.nodes = tree.nodes
    const inner = { file: found.path, notes }

    origins.set(node, inner)
    sheet.origin = inner
    yield* include(sheet, node, [...trail, found.path])
    sheet.origin = origin
  }
}

function openSheet(printing: Printing, page: PrintPage, notes: Notes, level: number): Sheet {
  const anchors = noAnchors()
  printing.anchors.set(page.id, anchors)
  const sheet: Sheet = {
    printing,
    page,
    origin: { file: page.filePath, notes },
    origins: new Map(),
    noted: new Map(),
    anchors,
    taken: new Set(),
    numbers: new Map(),
    level: level + 1,
    depth: 0,
    marks: [],
    spaced: true,
    listed: false,
    quiet: false,
    noteless: false,
    room: longestPage,
    column: undefined,
    run: 0,
    blocks: nodes => writeBlocks(sheet, nodes),
  }

  return sheet
}

function writeTitle(sheet: Sheet, level: number): void {
  const { page } = sheet
  const { description, depth, group } = page

  // The running head is set before the page starts.
  write(sheet, `running.update({[];${breakable(titleOf(page).slice(0, 80))}});\n`)
  if (depth === 0 || group) write(sheet, 'pagebreak(weak: true);\n')
  if (group) write(sheet, `page-title(1, "g", ${literal(group)});\n`)
  write(sheet, `[#page-title(${level}, "p${Math.min(2, depth)}", {[];${breakable(titleOf(page))}})`)
  write(sheet, `#label(${literal(`p-${page.id}`)})];\n`)
  if (description?.trim()) write(sheet, `lead({[];${breakable(description.trim())}});\n`)
}

function* writePage(printing: Printing, page: PrintPage, base: { level: number }): Steps<void> {
  if (page.group !== undefined) base.level = page.group === '' ? 0 : 1
  const level = Math.min(20, base.level + page.depth + 1)
  const { root, notes } = yield* pageTree(page.markdown, page.filePath)
  const sheet = openSheet(printing, page, notes, level)

  yield* include(sheet, root, page.filePath === undefined ? [] : [page.filePath])
  write(sheet, '#{\n')
  writeTitle(sheet, level)
  const title = ownHeading(root)
  const nodes = title ? root.nodes.slice(root.nodes.indexOf(title) + 1) : root.nodes

  for (const part of blocksAndLines(nodes)) {
    writeBlocks(sheet, Array.isArray(part) ? part : [part])
    yield
  }

  write(sheet, '}\n')
}

/** Writes the Typst source of a book, in steps: a title, a table of contents, and every page. */
export function* printSteps(book: PrintBook): Steps<Print> {
  const titles = new Map(book.pages.map(page => [page.id, titleOf(page)]))
  const printing: Printing = {
    book,
    out: [],
    images: new Set(),
    titles,
    anchors: new Map(),
    notes: 0,
  }
  const base = { level: 0 }
  printing.out.push(frontOf(book))

  for (const page of book.pages) {
    yield* writePage(printing, page, base)
    yield
  }

  const source: string[] = []

  for (const [at, piece] of printing.out.entries()) {
    source.push(
      typeof piece === 'string' ? piece : literal(labelAt(printing, piece.page, piece.anchor)),
    )
    if (at % 4096 === 4095) yield
  }

  return { source: source.join(''), images: printing.images }
}
