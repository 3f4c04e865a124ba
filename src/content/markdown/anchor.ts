import type { Range } from '../text/range.ts'
import { decodeEntities } from './entities.ts'

/**
 * The empty `<a id="…">` behind the words of a heading. `start` includes the blanks before it; `id`
 * may be missing.
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
