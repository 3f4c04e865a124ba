/** Returns the common form of all spellings of an anchor. */
export const foldAnchor = (anchor: string): string =>
  anchor
    .toLowerCase()
    .replace(/^id-(?=\d)/, '')
    .replace(/[._+/]/g, '')

/** Returns the anchor that GitHub gives a heading. */
export const gitHubSlug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
