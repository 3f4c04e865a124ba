import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import { blocksAndLines, ownHeading } from '../markup/lines.ts'
import { longestPage, pageTree } from '../markup/parse.ts'
import type { MarkupElement } from '../markup/tree.ts'
import { labelAt, noAnchors } from './anchors.ts'
import { writeBlocks } from './block.ts'
import type { PrintBook, PrintPage } from './book-types.ts'
import { uriOfLabel } from './part.ts'
import { breakable, literal, type Printing, type Sheet, write } from './sheet.ts'
import { printFrame, printStyle } from './style.ts'

/** The most levels of includes within includes. */
const mostIncludes = 6

/** A Typst document, and the names of the images that it shows. */
type Print = { source: string; images: ReadonlySet<string> }

/** An entry of the table of contents: its level, label and title, and perhaps its group. */
type BookEntry = { level: number; label: string; title: string }

/** A part of a book: consecutive pages as Typst code, and the level of the first one. */
export type BookPart = {
  code: string
  level: number
  entries: readonly BookEntry[]
  /** The labels of its headings in order. */
  headings: readonly string[]
}

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

/** Returns the style of a book, of whose pages some come before those of the document. */
function styleOf(book: PrintBook, before: number): string {
  const title = literal(book.title.trim() || 'Untitled')
  const { body, mono } = book.fonts

  return `#let pages-before = ${before}
#let mono-fonts = ${list([...mono, ...body])}
#let short-title = ${literal(book.title.slice(0, 80))}
#set document(title: ${title}, date: ${dayOf(book.date)})
#set text(font: ${list(body)}, ${languageOf(book.language)})
${printStyle}${printFrame}
`
}

/** Returns the title of a book and its table of contents. */
function titleSheet(book: PrintBook, contents: string): string {
  const revision = [book.date, book.revision].filter(text => text !== '').join('  ·  ')

  return `#{
  v(7.2cm);
  block(width: 100%, below: 20pt, text(size: 32pt, weight: "bold", hyphenate: false, par(leading: 0.5em, {[];${breakable(book.title)}})));
  line(length: 3.2cm, stroke: 2.2pt + accent);
  ${book.subtitle ? `block(width: 86%, above: 1.4em, text(size: 14pt, fill: faint, {[];${breakable(book.subtitle)}}));` : ''}
  v(1fr);
  text(size: 9.5pt, fill: faint, {[];${breakable(revision)}});
  ${(book.notes ?? []).map(note => `block(above: 1em, text(size: 9.5pt, fill: hues.warning, {[];${breakable(note)}}));`).join('\n  ')}
  pagebreak();
  ${contents}
}
`
}

/** Returns the Typst source of a part of a book, after as many pages. */
export const partSource = (book: PrintBook, { code }: BookPart, before: number): string =>
  styleOf(book, before) + code

/**
 * Returns the Typst source of what comes before the parts; `pageOf` is the page of an entry. All
 * numbers take the same room, so its length does not depend on them.
 */
export function frontSource(
  book: PrintBook,
  parts: readonly BookPart[],
  pageOf: (entry: BookEntry) => number,
): string {
  const entries = parts
    .flatMap(part => part.entries)
    .filter(({ level }) => level <= 6)
    .map(entry => {
      const target = literal(uriOfLabel(entry.label, entry.label))
      return `contents-line(${entry.level}, ${target}, {[];${breakable(entry.title)}}, counted[${pageOf(entry)}]);`
    })
  return styleOf(book, 0) + titleSheet(book, `outline(target: <no-entry>);\n${entries.join('\n')}`)
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
  if (group) {
    write(sheet, `page-title(1, "g", ${literal(group)});\n`)
    sheet.printing.headings.push('')
  }
  sheet.printing.headings.push(`p-${page.id}`)
  write(sheet, `[#page-title(${level}, "p${Math.min(2, depth)}", {[];${breakable(titleOf(page))}})`)
  write(sheet, `#label(${literal(`p-${page.id}`)})];\n`)
  if (description?.trim()) write(sheet, `lead({[];${breakable(description.trim())}});\n`)
}

function* writePage(printing: Printing, page: PrintPage, base: { level: number }): Steps<number> {
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

  return level
}

/** Writes the Typst source of a book, in steps: a title, a table of contents, and every page. */
export function* printSteps(book: PrintBook): Steps<Print> {
  const { printing } = yield* writtenPages(book)
  const code = yield* codeOf(printing, { from: 0, to: printing.out.length }, () => true)
  const contents = book.pages.length > 1 ? 'outline(indent: 0pt, depth: 6);' : ''
  return { source: styleOf(book, 0) + titleSheet(book, contents) + code, images: printing.images }
}

/** A page in the output: the range of its code and how long it is, its headings and its level. */
type PageRange = {
  page: PrintPage
  from: number
  to: number
  size: number
  headings: readonly string[]
  level: number
}

type Written = { printing: Printing; ranges: PageRange[] }

function* writtenPages(book: PrintBook): Steps<Written> {
  const titles = new Map(book.pages.map(page => [page.id, titleOf(page)]))
  const printing: Printing = {
    book,
    out: [],
    images: new Set(),
    titles,
    anchors: new Map(),
    headings: [],
    notes: 0,
  }
  const base = { level: 0 }
  const ranges: PageRange[] = []

  for (const page of book.pages) {
    const from = printing.out.length
    const shown = printing.images.size
    const headed = printing.headings.length
    const level = yield* writePage(printing, page, base)
    const to = printing.out.length
    let size = (printing.images.size - shown) * sizeOfImage
    for (let at = from; at < to; at++) size += lengthOf(printing.out[at]!)
    ranges.push({ page, from, to, level, size, headings: printing.headings.slice(headed) })
    yield
  }

  return { printing, ranges }
}

/** Returns the level of the first bookmark of a page: that of its group, if it starts one. */
const startOf = ({ page, level }: PageRange): number => (page.group ? 1 : level)

const lengthOf = (piece: Printing['out'][number]): number =>
  typeof piece === 'string' ? piece.length : 20

/** Returns the code of a range of the output, with the labels that links lead to. */
function* codeOf(
  printing: Printing,
  { from, to }: { from: number; to: number },
  isWithin: (page: string) => boolean,
): Steps<string> {
  const code: string[] = []
  for (let at = from; at < to; at++) {
    const piece = printing.out[at]!
    if (typeof piece === 'string') code.push(piece)
    else {
      const label = labelAt(printing, piece.page, piece.anchor)
      code.push(literal(isWithin(piece.page) ? label : uriOfLabel(label, `p-${piece.page}`)))
    }
    if (at % 4096 === 4095) yield
  }

  return code.join('')
}

/** What an image counts as, in characters of code. */
const sizeOfImage = 8_000

/**
 * Writes a book as parts of about `most` characters of code, in steps. A part never goes to a higher
 * level than that of its first page, under which its bookmarks are placed.
 */
export function* partSteps(book: PrintBook, most: number): Steps<BookPart[]> {
  const { printing, ranges } = yield* writtenPages(book)
  const lists: PageRange[][] = []
  let size = 0

  for (const range of ranges) {
    const list = lists.at(-1)
    if (!list || startOf(range) < startOf(list[0]!) || size + range.size > most) {
      lists.push([range])
      size = range.size
    } else {
      list.push(range)
      size += range.size
    }
  }

  const parts: BookPart[] = []

  for (const list of lists) {
    const own = new Set(list.map(({ page }) => page.id))
    const { from } = list[0]!
    const code = yield* codeOf(printing, { from, to: list.at(-1)!.to }, page => own.has(page))
    const entries = list.flatMap(({ page, level }) => {
      const entry = { level, label: `p-${page.id}`, title: titleOf(page) }
      return page.group ? [{ ...entry, level: 1, title: page.group }, entry] : [entry]
    })
    parts.push({
      code,
      level: startOf(list[0]!),
      entries,
      headings: list.flatMap(each => each.headings),
    })
  }

  return parts
}
