/** What the process that prints finds as `order.json` in its folder, beside `main.typ` and the images. */
export type PrintOrder = {
  /** Where fonts are beside the system's. */
  fontFolders: readonly string[]
  /** The files that the document shows. */
  images: readonly string[]
  /** Seconds since 1970 that the document says it was made at. */
  time: number
}

/**
 * What it came to: `out.pdf` is there, or these images cannot be shown, or the document does not compile, in the compiler's
 * words.
 */
export type PrintOutcome = { made: true } | { broken: string[] } | { error: string }
