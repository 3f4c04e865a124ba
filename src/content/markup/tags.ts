import { readAttributes } from './html.ts'

/** A `{% tag %}` as it stands in a text. `name` of a closing tag is that of what it closes. */
export type PrintTag = {
  name: string
  closes: boolean
  attributes: Record<string, string>
  raw: string
  start: number
  end: number
}

/** What holds other blocks, and has to be closed. */
const holders = new Set(
  (
    'hint tabs tab code stepper step columns column updates update prompt if content-ref openapi openapi-operation ' +
    'openapi-schemas openapi-webhook swagger swagger-description swagger-parameter swagger-response'
  ).split(' '),
)

/** What stands alone, though some of it may have a caption and an end. */
const singles = new Set(['embed', 'file', 'page-ref', 'include'])

const pattern = /\{%-?\s*(@?[A-Za-z][\w/-]*)((?:\s(?:[^%{\n]|%(?!\})|\{(?!%))*)?)%\}/g

/** Says whether a tag may stand without an end. */
export const standsAlone = (name: string): boolean =>
  singles.has(name) || name.startsWith('@') || name.startsWith('openapi') || name === 'content-ref'

const known = (name: string): boolean => holders.has(name) || singles.has(name) || name.startsWith('@')

/** Gives the tags of a text that we know. Linear in the text. */
export const findTags = (text: string): PrintTag[] => {
  if (!text.includes('{%')) return []
  const tags: PrintTag[] = []
  for (const found of text.matchAll(pattern)) {
    const closes = found[1]!.startsWith('end')
    const name = closes ? found[1]!.slice(3) : found[1]!
    if (!known(name)) continue
    // An include and a condition have no names for what they say.
    const attributes =
      name === 'include' ? { src: /"([^"]*)"/.exec(found[2]!)?.[1] ?? '' } : readAttributes(found[2]!)
    const start = found.index
    tags.push({ name, closes, attributes, raw: found[0], start, end: start + found[0].length })
  }
  return tags
}
