import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import { longestPage, pageTree } from '../markup/parse.ts'
import { isBlockName, type PrintElement, type PrintNode } from '../markup/tree.ts'
import { labelAt, noAnchors } from './anchors.ts'
import { writeBlocks } from './block.ts'
import { breakable, literal, type Printing, type Sheet, write } from './sheet.ts'
import { printFrame, printStyle } from './style.ts'

/** How deep included content may include other content. */
const mostIncludes = 6

/** A page as it is to be printed. */
export type PrintPage = {
  id: string
  title: string
  emoji?: string
  description?: string
  /** How many pages stand above it: 0 is the top. */
  depth: number
  /** Where its Markdown lies, which its links start from; undefined for a page without a file. */
  filePath: string | undefined
  /** The file's text, or the page's, with or without front matter. */
  markdown: string
  /** The heading of the group that begins with this page; '' where a group ends and none begins. */
  group?: string
}

/** Where a link of the content leads in a printed book. */
export type PrintLink = { page: string; anchor?: string } | { url: string }

/** What is to be printed, and what its pages may ask for. */
export type PrintBook = {
  title: string
  subtitle?: string
  revision: string
  /** The day of the revision, such as 2026-11-21. */
  date: string
  /** A language code such as `en` or `zh-CN`. */
  language?: string
  /** Sentences in small print below the title, such as that a font is missing. */
  notes?: readonly string[]
  /** In reading order. */
  pages: readonly PrintPage[]
  /** The file that `{% include %}` names; undefined where there is none. */
  include(fromFile: string | undefined, target: string): { path: string; markdown: string } | undefined
  /** Where a link leads; undefined where it leads nowhere, and then its text alone is shown. */
  link(fromFile: string | undefined, target: string): PrintLink | undefined
  /** The file that the compiler is given for an image, and its width in pixels; undefined shows the text instead. */
  image(fromFile: string | undefined, target: string): { name: string; width?: number } | undefined
  /** Font families, the first of each preferred. */
  fonts: { body: readonly string[]; mono: readonly string[] }
}

/** A Typst document, and the names of the images that it shows. */
export type Print = { source: string; images: ReadonlySet<string> }

const titleOf = ({ emoji, title }: PrintPage): string =>
  (emoji ? `${emoji} ${title}` : title).trim() || 'Untitled'

const list = (names: readonly string[]): string => `(${names.map(name => `${literal(name)}, `).join('')})`

const languageOf = (language: string | undefined): string => {
  const found = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}))?$/i.exec(language ?? '')
  if (!found) return 'lang: "en"'
  const script = found[2]?.toLowerCase()
  const region = found[3] ?? (script === 'hant' ? 'tw' : script === 'hans' ? 'cn' : undefined)
  return `lang: "${found[1]!.toLowerCase()}"${region ? `, region: "${region.toUpperCase()}"` : ''}`
}

const dayOf = (date: string): string => {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)
  const [, year, month, day] = found?.map(Number) ?? []
  if (!year || !month || !day || Number.isNaN(Date.parse(date))) return 'none'
  return `datetime(year: ${year}, month: ${month}, day: ${day})`
}

/** What stands before the pages: how the book looks, its title and its table of contents. */
const frontOf = (book: PrintBook): string => {
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

/** Reads what a page includes, as long as it stays small and does not include itself. */
function* include(sheet: Sheet, root: PrintElement, trail: readonly string[]): Steps<void> {
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
    if (!found || trail.includes(found.path) || trail.length > mostIncludes || sheet.room < 0) continue
    const { root: tree, notes } = yield* pageTree(found.markdown)
    node.name = '%origin'
    node.nodes = tree.nodes
    const inner = { file: found.path, notes }
    origins.set(node, inner)
    sheet.origin = inner
    yield* include(sheet, node, [...trail, found.path])
    sheet.origin = origin
  }
}

const openSheet = (printing: Printing, page: PrintPage, notes: Notes, level: number): Sheet => {
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

const writeTitle = (sheet: Sheet, level: number): void => {
  const { page } = sheet
  const { description, depth, group } = page
  // What stands above each sheet is set before the sheet begins.
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
  const { root, notes } = yield* pageTree(page.markdown)
  const sheet = openSheet(printing, page, notes, level)
  yield* include(sheet, root, page.filePath === undefined ? [] : [page.filePath])
  write(sheet, '#{\n')
  writeTitle(sheet, level)
  const [first] = root.nodes.filter(node => typeof node !== 'string' || node.trim() !== '')
  const isTitle = typeof first === 'object' && first.name === 'h1'
  const nodes = isTitle ? root.nodes.slice(root.nodes.indexOf(first) + 1) : root.nodes
  // Lines are written together with their neighbours, and blocks one by one.
  for (let from = 0; from < nodes.length; yield) {
    let to = from + 1
    const isBlock = (node: PrintNode) => typeof node !== 'string' && isBlockName(node.name)
    if (!isBlock(nodes[from]!)) while (to < nodes.length && !isBlock(nodes[to]!)) to++
    writeBlocks(sheet, nodes.slice(from, to))
    from = to
  }
  write(sheet, '}\n')
}

/** The Typst source of a book, in steps: a title, a table of contents, and every page. */
export function* printSteps(book: PrintBook): Steps<Print> {
  const titles = new Map(book.pages.map(page => [page.id, titleOf(page)]))
  const printing: Printing = { book, out: [], images: new Set(), titles, anchors: new Map(), notes: 0 }
  const base = { level: 0 }
  printing.out.push(frontOf(book))
  for (const page of book.pages) {
    yield* writePage(printing, page, base)
    yield
  }
  const source: string[] = []
  for (const [at, piece] of printing.out.entries()) {
    source.push(typeof piece === 'string' ? piece : literal(labelAt(printing, piece.page, piece.anchor)))
    if (at % 4096 === 4095) yield
  }
  return { source: source.join(''), images: printing.images }
}
