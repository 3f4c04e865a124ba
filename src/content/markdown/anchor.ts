import type { Range } from '../text/range.ts'
import { attributeListAt } from './attribute-list.ts'
import { decodeEntities } from './entities.ts'

/**
 * The empty `<a id="…">`, or the list with an id, behind the words of a heading. `start` includes
 * the blanks before it; `id` may be missing.
 */
type HeadingAnchor = Range & { id: string | undefined }

const mark = /^<a(\s[^<>]*)>\s*<\/a>[ \t]*$/
const openTag = /^<a(\s[^<>]*)>$/
const attribute = /\s(id|name|href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi

/** Returns the anchor at the end of a heading's text; undefined when there is none. */
export function headingAnchor(source: string, { start, end }: Range): HeadingAnchor | undefined {
  const open = source.slice(start, end).lastIndexOf('<a')
  const found = open === -1 ? null : mark.exec(source.slice(start + open, end))
  if (!found) return undefined
  let first = start + open
  while (first > start && (source[first - 1] === ' ' || source[first - 1] === '\t')) first--
  return { start: first, end, id: namesIn(found[1]!).id }
}

/** Returns the list `{#id .class}` at the end of a heading of a page; undefined without one. */
export function headingList(source: string, { start, end }: Range): HeadingAnchor | undefined {
  const open = source.slice(start, end).lastIndexOf('{')
  const before = source.slice(start, start + Math.max(0, open))
  const found = /\S[ \t]+$/.test(before) ? attributeListAt(source, start + open) : undefined
  if (!found || !/^[.#]/.test(found.content) || source.slice(found.end, end).trim() !== '')
    return undefined

  const id = /(?:^|[ \t])#(\S+)/.exec(found.content)?.[1]

  return { start: start + before.trimEnd().length, end, id }
}

/** Returns what is behind the words of a heading of a page: an anchor, or a list with its id. */
export const headingEnd = (source: string, text: Range): HeadingAnchor | undefined =>
  headingAnchor(source, text) ?? headingList(source, text)

/**
 * Reports whether an HTML tag is an anchor that links to itself, as `<a href="#id" id="id">` does.
 */
export function linksToItself(tag: string): boolean {
  const found = openTag.exec(tag)
  if (!found) return false
  const { id, href } = namesIn(found[1]!)
  return id !== undefined && href === `#${id}`
}

function namesIn(attributes: string): { id: string | undefined; href: string | undefined } {
  const values = new Map<string, string>()
  for (const [, name, double, single, bare] of attributes.matchAll(attribute)) {
    const key = name!.toLowerCase()
    if (!values.has(key)) values.set(key, decodeEntities(double ?? single ?? bare!))
  }
  return { id: values.get('id') ?? values.get('name'), href: values.get('href') }
}
