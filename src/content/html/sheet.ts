import type { Steps } from '../../lib/slices.ts'
import type { Notes } from '../markup/grammar.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import type { Ids } from './anchors.ts'
import { escapeHtml } from './escape.ts'
import type { HtmlHeading, HtmlOptions, HtmlUpdate } from './page-html.ts'

/** The source of a text: the file to which its links are relative, and its footnotes. */
export type Origin = { file: string | undefined; notes: Notes }

/**
 * A heading of the page with its id. `level` is undefined within tables, where it is a paragraph.
 */
export type Headline = { id: string; level: number | undefined; alias: string | undefined }

/** A footnote that the page refers to. */
export type Noted = { number: number; text: string; origin: Origin }

/** A page that is being written, and the state of the writer. */
export type Sheet = {
  options: HtmlOptions
  /**
   * The HTML in pieces, and the anchors of this page whose ids are known when all of it is written.
   */
  out: (string | { anchor: string })[]
  /** The piece of HTML that is being written. */
  piece: string
  /** The length of the HTML in bytes; of the current piece, in characters. */
  size: number
  cut: boolean
  origin: Origin
  /** Reusable content by the element that includes it. */
  included: ReadonlyMap<MarkupElement, { nodes: readonly MarkupNode[]; origin: Origin }>
  ids: Ids
  headlines: ReadonlyMap<MarkupElement, Headline>
  headings: HtmlHeading[]
  diagrams: string[]
  /** Updates with the parts of `out` that are their content. */
  updates: (Omit<HtmlUpdate, 'html'> & { from: number; to: number })[]
  /** How dates of updates are written; undefined outside of updates. */
  dates: 'long' | 'medium' | 'short' | undefined
  summary: string
  /** Footnotes by origin and name. */
  noted: Map<Notes, Map<string, Noted>>
  notes: number
  /** The number of elements with content of blocks around the current position. */
  depth: number
  /** Within a link. */
  linked: boolean
  /** Within code, where the names of emoji are text. */
  verbatim: boolean
  /** Within removed content, which has no anchors. */
  removed: boolean
  /** The anchors of changes so far. */
  marks: Set<string>
  images: number
  tabs: number
  /** What stands below the tabs that are being written, if each of them has a block of code alone. */
  belowTabs: string[] | undefined
  /** How many characters of code and of formulas may still be coloured and set. */
  codeRoom: number
  formulaRoom: number
  /** Blocks since the last yield. */
  blocks: number
  /**
   * Writes blocks. `bare`: lines between blocks are not paragraphs. A property, because writers of
   * nested blocks cannot import it.
   */
  write(nodes: readonly MarkupNode[], bare?: boolean): Steps<void>
}

/** The most bytes of HTML; a part of the limit of 2 MB is left for end tags. */
const mostBytes = 2_000_000
const deepest = 60

/** Reports whether the page has reached its limit. What follows is left out. */
export const isFull = (sheet: Sheet): boolean => sheet.cut

/**
 * Reports whether one more element with content of blocks may be opened: browsers drop elements
 * that are nested too deeply.
 */
export const hasRoom = (sheet: Sheet): boolean => sheet.depth < deepest

/**
 * The characters of HTML that are joined to one piece: many small ones cost more than their text.
 */
const longestPiece = 4096

/** Ends the current piece of the HTML. Returns the number of pieces so far. */
export function endPiece(sheet: Sheet): number {
  if (sheet.piece !== '') {
    sheet.out.push(sheet.piece)
    // The length of the piece is counted already.
    sheet.size += Buffer.byteLength(sheet.piece) - sheet.piece.length
    sheet.piece = ''
  }
  return sheet.out.length
}

/** Writes HTML. */
export function put(sheet: Sheet, html: string): void {
  sheet.piece += html
  sheet.size += html.length
  if (sheet.piece.length > longestPiece) endPiece(sheet)
  if (sheet.size > mostBytes) sheet.cut = true
}

/** Writes a text, or its beginning if the page is full. */
export function putText(sheet: Sheet, text: string): void {
  if (sheet.cut || text === '') return
  const html = escapeHtml(text)
  if ((html.length + longestPiece) * 3 <= mostBytes - sheet.size) {
    put(sheet, html)
    return
  }

  endPiece(sheet)
  const room = mostBytes - sheet.size

  if (Buffer.byteLength(html) <= room) {
    put(sheet, html)
    return
  }

  // A character has at most six bytes of HTML.
  put(sheet, escapeHtml(text.slice(0, Math.max(0, Math.floor(room / 6))).toWellFormed()))
  sheet.cut = true
}

/** Runs steps one level deeper. */
export function* deeper(sheet: Sheet, steps: Steps<void>): Steps<void> {
  sheet.depth++
  yield* steps
  sheet.depth--
}
