import type { PrintBook } from './book.ts'

/**
 * What the process that prints finds as `order.json` in its folder. Beside it lie, a line of JSON each: `pages` (as
 * `PrintPage`), `includes` (path and Markdown) and `images` (path and blob).
 */
export type PrintOrder = {
  book: Omit<PrintBook, 'pages' | 'include' | 'link' | 'image' | 'notes'>
  /** The content's root, a folder with its slash or ''. */
  root: string
  /** Where fonts are beside the system's. */
  fontFolders: readonly string[]
  /** Seconds since 1970 that the document says it was made at. */
  time: number
}

/** An image that lies in the folder of the process, with its width in pixels where it says one. */
export type PrintImage = { name: string; width?: number }

/** What the process asks for once it knows which images are shown, by blob. */
export type PrintQuestion = { blobs: readonly string[] }

/** What there is of them, by blob, and what is to be said in the book. */
export type PrintAnswer = { images: readonly (readonly [blob: string, image: PrintImage])[]; notes: string[] }

/** What it came to: `out.pdf` is there, or the document does not compile, in the compiler's words. */
export type PrintOutcome = { made: true } | { error: string }
