/** The types of images that people add to pages: what they are called, and the ending of their files. */
const types: Readonly<Record<string, { name: string; ending: string }>> = {
  'image/png': { name: 'PNG', ending: 'png' },
  'image/jpeg': { name: 'JPEG', ending: 'jpg' },
  'image/gif': { name: 'GIF', ending: 'gif' },
  'image/webp': { name: 'WebP', ending: 'webp' },
  'image/avif': { name: 'AVIF', ending: 'avif' },
  'image/svg+xml': { name: 'SVG', ending: 'svg' },
}

/** Returns the ending of the files of a type of images; undefined for what pages do not show. */
export const endingOfImage = (type: string): string | undefined =>
  Object.hasOwn(types, type) ? types[type]?.ending : undefined

/** The types as an input of files takes them. */
export const imagesAccepted = Object.keys(types).join(',')

/** The types in words: "PNG, JPEG or SVG". */
export const imageKinds = Object.values(types)
  .map(({ name }) => name)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')

/** Returns a size as text, such as "1.5 MB". */
export const inMegabytes = (bytes: number): string =>
  `${(bytes / 1024 ** 2).toFixed(1).replace(/\.0$/, '')} MB`

/** Returns an image in Markdown, described by the name of its file without what has a meaning there. */
export function imageInMarkdown(name: string, target: string): string {
  const words = name.replace(/\.[A-Za-z0-9]{1,5}$/, '').replace(/[\s_`<>{}|$*~&\p{C}-]+/gu, ' ')
  return `![${shortName(words)
    .trim()
    .replace(/[\\[\]]/g, '\\$&')}](${target})`
}

/** Returns a name of a file as a sentence or a description has it. */
export function shortName(name: string): string {
  const letters = [...name.slice(0, 200)]
  return letters.length > 60 ? `${letters.slice(0, 60).join('')}…` : name
}
