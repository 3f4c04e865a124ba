/**
 * What the process that makes versions of an image finds in `order.json`; the image is in the file
 * `image`.
 */
export type ResizeOrder = { widths: readonly number[]; mostPixels: number }

/** The widths that were made, each in a file `<width>.webp`: those below the width of the image. */
export type ResizeOutcome = { widths: number[] }
