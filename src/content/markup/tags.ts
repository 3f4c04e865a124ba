import { findTags, quotedArgument, type Tag, tagAttributes } from '../markdown/tags.ts'
import { reserved } from './html.ts'

/** A tag that pages may use, with its attributes by name and its source. */
export type PageTag = Pick<Tag, 'name' | 'closes' | 'start' | 'end'> & {
  attributes: Record<string, string>
  raw: string
}

/** Tags that contain other blocks and need an end tag. */
const containers = new Set(
  (
    'hint tabs tab code stepper step columns column updates update prompt if content-ref openapi openapi-operation ' +
    'openapi-schemas openapi-webhook swagger swagger-description swagger-parameter swagger-response'
  ).split(' '),
)

/** Tags without content; some of them may have a caption and an end tag. */
const singles = new Set(['embed', 'file', 'page-ref', 'include'])

/** Containers by the tags that stand only in them. */
const containersOf: Readonly<Record<string, string>> = {
  tab: 'tabs',
  step: 'stepper',
  column: 'columns',
  update: 'updates',
}

/** Returns the name of the container of a tag that stands only in one. */
export const containerOf = (name: string): string | undefined => containersOf[name]

/** Reports whether a tag may stand without an end tag. */
export const standsAlone = (name: string): boolean =>
  singles.has(name) || name.startsWith('@') || name.startsWith('openapi') || name === 'content-ref'

/** Reports whether pages may use a tag of this name. */
export const isKnownTag = (name: string): boolean =>
  containers.has(name) || singles.has(name) || name.startsWith('@')

/** Returns the tags of a text whose names are known, in order. Linear in the text. */
export const pageTags = (text: string): PageTag[] =>
  text.includes('{%')
    ? findTags(text)
        .filter(({ name }) => isKnownTag(name))
        .map(tag => pageTag(text, tag))
    : []

function pageTag(text: string, tag: Tag): PageTag {
  const { name, closes, start, end } = tag
  const attributes: Record<string, string> = Object.create(null)
  // The argument of an include has no name.
  if (name === 'include') attributes.src = quotedArgument(text, tag)?.value ?? ''
  else
    for (const { name, value } of tagAttributes(text, tag))
      if (!reserved.has(name)) attributes[name] ??= value
  return { name, closes, start, end, attributes, raw: text.slice(start, end) }
}
