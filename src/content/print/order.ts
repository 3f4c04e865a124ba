import type { PrintBook } from './book-types.ts'

/**
 * The file `order.json` in the folder of the printing process. The folder also has three files with
 * a line of JSON per entry: `pages` (as `PrintPage`), `includes` (path and Markdown) and `images`
 * (path and blob).
 */
export type PrintOrder = {
  book: Omit<PrintBook, 'pages' | 'include' | 'link' | 'image' | 'notes'>
  /** The content's root, a folder with its slash or ''. */
  root: string
  /** Folders of fonts in addition to the system's. */
  fontFolders: readonly string[]
  /** The most pixels of all bitmaps that the compiler decodes. */
  decodedPixels: number
  /** The creation time in the document, in seconds since 1970. */
  time: number
}

/**
 * An image in the folder of the process, with its width in pixels if known, and the number of its
 * pixels if it is a bitmap.
 */
export type PrintImage = { name: string; width?: number; pixels?: number }

/** The process's request for the images that the book shows, by blob. */
export type PrintQuestion = { blobs: readonly string[] }

/** An image that is left out: its blob, and why. */
export type LeftOut = { blob: string; why: string }

/** The available images by blob, those that are left out, and other notes to print in the book. */
export type PrintAnswer = {
  images: readonly (readonly [blob: string, image: PrintImage])[]
  left: readonly LeftOut[]
  notes: readonly string[]
}

/**
 * The result: `out.pdf` is written with these notes about gaps, or the document does not compile,
 * with the compiler's message.
 */
export type PrintOutcome = { notes: readonly string[] } | { error: string }
