import type { Notes } from '../markup/grammar.ts'
import type { PrintElement, PrintNode } from '../markup/tree.ts'
import type { PrintBook, PrintLink, PrintPage } from './book.ts'
import { emsOf, piecesOf } from './columns.ts'

/** A place of the book that something leads to: what stands for it is known when all has been written. */
export type Aim = { page: string; anchor: string | undefined }

/** What the anchors of a page are called: as they are, and by other spellings that are in use. */
export type Anchors = { exact: Map<string, string>; loose: Map<string, string> }

/** A book that is being written. */
export type Printing = {
  book: PrintBook
  out: (string | Aim)[]
  images: Set<string>
  titles: ReadonlyMap<string, string>
  anchors: Map<string, Anchors>
  notes: number
}

/** Where words come from: the file that their links start at, and their notes. */
export type Origin = { file: string | undefined; notes: Notes }

/** A page that is being written, and how far. */
export type Sheet = {
  printing: Printing
  page: PrintPage
  origin: Origin
  /** The elements that came from other files. */
  origins: Map<PrintElement, Origin>
  /** The notes that were written, by their texts' origin and name, with their labels. */
  noted: Map<Notes, Map<string, string>>
  anchors: Anchors
  taken: Set<string>
  numbers: Map<string, number>
  /** How deep the page's own headings begin in the table of contents. */
  level: number
  /** How many boxes and lists are around. */
  depth: number
  marks: string[]
  /** Nothing before needs a blank after it. */
  spaced: boolean
  /** Within the item of a list. */
  listed: boolean
  /** In what is small: no headings. */
  quiet: boolean
  /** In what is shown several times: no notes. */
  noteless: boolean
  /** How many characters may still be included. */
  room: number
  /** The width in em of the table's column that is being written. */
  column: number | undefined
  /** The width in em of what was written since the last blank. */
  run: number
  /** Writes blocks: what holds some is a block itself. */
  blocks(nodes: readonly PrintNode[]): void
}

/** Boxes and lists deeper than this are shown without their frames: the page is too narrow, and Typst gives up. */
const deepest = 8
const deepestMarks = 5

const unprintable = /[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufff9-\ufffc]/g

/** Gives a text as a Typst string: the only way in which words of a page get into the source. */
export const literal = (text: string): string =>
  `"${text.toWellFormed().replace(unprintable, '').replace(/[\\"]/g, '\\$&')}"`

/** Writes Typst code. */
export const write = (sheet: Sheet, code: string): void => {
  sheet.printing.out.push(code)
}

/** Long words of letters, digits and signs may be broken here. */
const endless = /[\x21-\u024f]{30}(?=[\x21-\u024f]{4})/g

/** Returns a text as Typst code in which long words may be broken. */
export const breakable = (text: string): string => {
  if (text.length < 34) return `${literal(text)};`
  return join(text.replace(endless, '$&\n').split('\n'))
}

/** Returns the pieces of a text as Typst code that may be broken between them, without a hyphen. */
const join = (pieces: readonly string[]): string => pieces.map(literal).join(';box();').concat(';')

/** The width of a line outside of tables in em, less what boxes and lists may take. */
const lineEms = 34

/**
 * Returns a text as Typst code in which words that are too long for where they stand may be broken: in a table those
 * that are wider than their column. Code and words that follow one another without a blank may be broken between them
 * once they are too wide together.
 */
export function breakableIn(sheet: Sheet, text: string, code = false): string {
  const most = sheet.column ?? lineEms
  const [first = '', ...others] = text.split(' ')
  const run = (sheet.spaced ? 0 : sheet.run) + emsOf(first, code)
  const opening = run > most && run > emsOf(first, code) && !/^[)\]},.;:!?]*$/.test(first) ? 'box();' : ''
  sheet.run = others.length > 0 ? emsOf(others.at(-1) ?? '', code) : opening ? emsOf(first, code) : run
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

/** Writes words; blanks and line ends are one blank, and none at the beginning of a line. */
export const writeWords = (sheet: Sheet, text: string): void => {
  const line = text.replace(/[ \t\n\r\f]+/g, ' ')
  const words = sheet.spaced && line.startsWith(' ') ? line.slice(1) : line
  if (words === '') return
  write(sheet, breakableIn(sheet, words))
  sheet.spaced = words.endsWith(' ')
}

/** Writes a call of a Typst function whose last argument is what `body` writes. */
export const call = (sheet: Sheet, opening: string, body: () => void): void => {
  write(sheet, `${opening}{[];`)
  body()
  write(sheet, '});\n')
}

/** Writes a box around what `body` writes, or that alone when there are too many around already. */
export const boxed = (sheet: Sheet, opening: string, body: () => void): void => {
  if (sheet.depth >= deepest) {
    body()
    return
  }
  sheet.depth++
  call(sheet, opening, body)
  sheet.depth--
}

/** Says whether there is room for one box more. */
export const hasRoom = (sheet: Sheet): boolean => sheet.depth < deepest

/** Writes words with a mark, unless they bear it already. */
export const marked = (sheet: Sheet, mark: string, opening: string, body: () => void): void => {
  if (sheet.marks.includes(mark) || sheet.marks.length >= deepestMarks) {
    body()
    return
  }
  sheet.marks.push(mark)
  write(sheet, `${opening}{[];`)
  body()
  write(sheet, '});')
  sheet.marks.pop()
}

/** Writes what is small, or shown several times: without headings, and without notes unless it may have some. */
export const quietly = (sheet: Sheet, notes: boolean, body: () => void): void => {
  const { quiet, noteless } = sheet
  sheet.quiet = true
  sheet.noteless ||= !notes
  body()
  sheet.quiet = quiet
  sheet.noteless = noteless
}

/** Gives where a target leads that may be printed: an address of the web or of mail, or a page of this book. */
export const linkOf = (sheet: Sheet, target: string): PrintLink | undefined => {
  const { book, titles } = sheet.printing
  const own = target.startsWith('#') && sheet.origin.file === sheet.page.filePath
  const link = own ? { page: sheet.page.id, anchor: target.slice(1) } : book.link(sheet.origin.file, target)
  if (!link) return undefined
  if ('page' in link) return titles.has(link.page) ? link : undefined
  return /^(?:https?:\/\/|mailto:)[^\s\x00-\x1f]+$/i.test(link.url) && link.url.length <= 2000
    ? link
    : undefined
}

/** Writes the beginning of a link; what is linked and `});` follow. */
export const openLink = (sheet: Sheet, link: PrintLink): void => {
  if ('url' in link) write(sheet, `link(${literal(link.url)}, {[];`)
  else sheet.printing.out.push('go(', { page: link.page, anchor: link.anchor }, ', {[];')
}
