import type { Notes } from '../markup/grammar.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import type { PrintBook, PrintLink, PrintPage } from './book-types.ts'
import { emsOf, piecesOf } from './columns.ts'

/** The target of a link within the book. Its label is known once all pages are written. */
type LinkTarget = { page: string; anchor: string | undefined }

/** The labels of a page's anchors: by their exact names, and by other spellings in use. */
export type Anchors = { exact: Map<string, string>; loose: Map<string, string> }

/** A book that is being written. */
export type Printing = {
  book: PrintBook
  out: (string | LinkTarget)[]
  images: Set<string>
  titles: ReadonlyMap<string, string>
  anchors: Map<string, Anchors>
  /** The labels of all headings in order, which are the bookmarks; '' for a group. */
  headings: string[]
  notes: number
}

/** The source of a text: the file to which its links are relative, and its footnotes. */
type Origin = { file: string | undefined; notes: Notes }

/** A page that is being written, and the state of the writer. */
export type Sheet = {
  printing: Printing
  page: PrintPage
  origin: Origin
  /** The elements that were included from other files. */
  origins: Map<MarkupElement, Origin>
  /** The labels of footnotes that were written, by origin and name. */
  noted: Map<Notes, Map<string, string>>
  anchors: Anchors
  taken: Set<string>
  numbers: Map<string, number>
  /** The level of the page's topmost headings in the table of contents. */
  level: number
  /** The number of boxes and lists around the current position. */
  depth: number
  marks: string[]
  /** The next text starts a line or follows a space. */
  spaced: boolean
  /** Within an item of a list. */
  listed: boolean
  /** Within a small element: no headings. */
  quiet: boolean
  /** Within content that is shown several times: no footnotes. */
  noteless: boolean
  /** How many characters may still be included. */
  room: number
  /** The width in em of the table column that is being written. */
  column: number | undefined
  /** The width in em of the text since the last space. */
  run: number
  /**
   * Writes blocks. A property, because writers of nested blocks cannot import the writer of all
   * blocks.
   */
  blocks(nodes: readonly MarkupNode[]): void
}

/** Deeper boxes and lists are shown without frames: the page is too narrow, and Typst fails. */
const deepest = 8
const deepestMarks = 5

const unprintable = /[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufff9-\ufffc]/g

/** Returns a text as a Typst string. Text of a page enters the source only in this form. */
export const literal = (text: string): string =>
  `"${text.toWellFormed().replace(unprintable, '').replace(/[\\"]/g, '\\$&')}"`

/** Writes Typst code. */
export function write(sheet: Sheet, code: string): void {
  sheet.printing.out.push(code)
}

/** Where long words of letters, digits and signs may be broken. */
const endless = /[\x21-\u024f]{30}(?=[\x21-\u024f]{4})/g

/** Returns a text as Typst code in which long words may be broken. */
export function breakable(text: string): string {
  if (text.length < 34) return `${literal(text)};`
  return join(text.replace(endless, '$&\n').split('\n'))
}

/** Joins the pieces of a text as Typst code that may be broken between them, without a hyphen. */
const join = (pieces: readonly string[]): string => pieces.map(literal).join(';box();').concat(';')

/** The width of a line outside of tables in em, less what boxes and lists may take. */
const lineEms = 34

/**
 * Returns a text as Typst code in which too long words may be broken: in a table, words wider than
 * their column. Adjacent code and words without a space between them may be broken between them if
 * they are too wide together.
 */
export function breakableIn(sheet: Sheet, text: string, code = false): string {
  const most = sheet.column ?? lineEms
  const [first = '', ...others] = text.split(' ')
  const run = (sheet.spaced ? 0 : sheet.run) + emsOf(first, code)
  const opening =
    run > most && run > emsOf(first, code) && !/^[)\]},.;:!?]*$/.test(first) ? 'box();' : ''

  sheet.run =
    others.length > 0 ? emsOf(others.at(-1) ?? '', code) : opening ? emsOf(first, code) : run
  if (sheet.column === undefined || emsOf(text, code) <= most) return opening + breakable(text)

  const pieces: string[] = []
  let whole = ''

  for (const part of text.split(/( +)/)) {
    const [first = '', ...others] = piecesOf(part, most, code)
    whole += first
    for (const other of others) {
      pieces.push(whole)
      whole = other
    }
  }

  return opening + join([...pieces, whole])
}

/** Writes words. Runs of whitespace become one space, and are dropped at the start of a line. */
export function writeWords(sheet: Sheet, text: string): void {
  const line = text.replace(/[ \t\n\r\f]+/g, ' ')
  const words = sheet.spaced && line.startsWith(' ') ? line.slice(1) : line
  if (words === '') return
  write(sheet, breakableIn(sheet, words))
  sheet.spaced = words.endsWith(' ')
}

/** Writes a call of a Typst function, with the output of `body` as its last argument. */
export function call(sheet: Sheet, opening: string, body: () => void): void {
  write(sheet, `${opening}{[];`)
  body()
  write(sheet, '});\n')
}

/**
 * Writes a box around the output of `body`, or only the output when there are too many boxes around
 * it.
 */
export function boxed(sheet: Sheet, opening: string, body: () => void): void {
  if (sheet.depth >= deepest) {
    body()
    return
  }
  sheet.depth++
  call(sheet, opening, body)
  sheet.depth--
}

/** Returns whether there is room for one more box. */
export const hasRoom = (sheet: Sheet): boolean => sheet.depth < deepest

/**
 * Writes words with a mark, unless they have it already. A mark is a Typst function; `values` are
 * its arguments before the words.
 */
export function marked(
  sheet: Sheet,
  mark: string,
  body: () => void,
  values: readonly string[] = [],
): void {
  if (sheet.marks.includes(mark) || sheet.marks.length >= deepestMarks) {
    body()
    return
  }

  sheet.marks.push(mark)
  write(sheet, `${mark}(${values.map(value => `${value}, `).join('')}{[];`)
  body()
  write(sheet, '});')
  sheet.marks.pop()
}

/**
 * Runs `body` without headings, and without footnotes unless `notes`: for small or repeated
 * elements.
 */
export function quietly(sheet: Sheet, notes: boolean, body: () => void): void {
  const { quiet, noteless } = sheet
  sheet.quiet = true
  sheet.noteless ||= !notes
  body()
  sheet.quiet = quiet
  sheet.noteless = noteless
}

/**
 * Returns the link of a target: a web or mail address, or a page of this book; undefined for any
 * other.
 */
export function linkOf(sheet: Sheet, target: string): PrintLink | undefined {
  const { book, titles } = sheet.printing
  const own = target.startsWith('#') && sheet.origin.file === sheet.page.filePath
  const link = own
    ? { page: sheet.page.id, anchor: target.slice(1) }
    : book.link(sheet.origin.file, target)
  if (!link) return undefined
  if ('page' in link) return titles.has(link.page) ? link : undefined

  return /^(?:https?:\/\/|mailto:)[^\s\x00-\x1f]+$/i.test(link.url) && link.url.length <= 2000
    ? link
    : undefined
}

/** Writes the output of `body` as a link; the output alone without one. */
export function linked(sheet: Sheet, link: PrintLink | undefined, body: () => void): void {
  if (!link) {
    body()
    return
  }

  if ('url' in link) write(sheet, `link(${literal(link.url)}, {[];`)
  else sheet.printing.out.push('go(', { page: link.page, anchor: link.anchor }, ', {[];')
  body()
  write(sheet, '});')
}
