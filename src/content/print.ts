import type { Steps } from '../lib/slices.ts'

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
  /** The heading of the group that begins with this page. */
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

/** The Typst source of a book, in steps: a title, a table of contents, and every page. */
export function* printSteps(book: PrintBook): Steps<Print> {
  yield
  return { source: `#set document(title: ${JSON.stringify(book.title)})\n`, images: new Set() }
}
