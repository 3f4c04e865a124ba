/** The scheme of links to other parts of a book, which `join.ts` replaces. */
export const scheme = 'stemma:'

const encoded = (label: string): string =>
  encodeURIComponent(label.toWellFormed()).replace(
    /[()'*!~]/g,
    char => `%${char.charCodeAt(0).toString(16)}`,
  )

/** Returns an address for a label in another part, and a label to use if that has no destination. */
export const uriOfLabel = (label: string, otherwise: string): string =>
  `${scheme}${encoded(label)},${encoded(otherwise)}`

/** Returns the labels of such an address, the preferred one first. */
export const labelsOfUri = (uri: string): string[] =>
  uri.slice(scheme.length).split(',').map(decodeURIComponent)
