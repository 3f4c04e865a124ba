import type { Range } from '../text/range.ts'
import { decodeEntities } from './entities.ts'

/**
 * A `{% tag %}` of a page, as offsets into the text it was found in. It may run over several lines,
 * and a hyphen may stand beside either percent sign. `name` of an end tag is the name of the tag
 * that it closes.
 */
export type Tag = Range & {
  name: string
  closes: boolean
  /** The text between the name and the closing `%}`. */
  inside: Range
}

/**
 * An attribute of a tag: its name in lower case, its value with character references resolved, and
 * as written.
 */
type TagAttribute = { name: string; value: string; raw: Range }

const opening = /\{%-?\s*(@?[A-Za-z][\w/]*(?:-+[\w/]+)*)(?=\s|-?%\})/y
const attribute = /([A-Za-z_:@][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const blankLine = /(?:\n|\r(?!\n))[ \t]*[\r\n]/
const quoted = /"([^"]*)"|'([^']*)'/

/**
 * Returns a function that reads the tag at an offset of a text. Offsets passed to it must not
 * decrease: then all calls together take time linear in the text. A tag ends at the next `%}`, and
 * contains neither `{%` nor a blank line.
 */
export function tagReader(text: string): (at: number) => Tag | undefined {
  const nextEnd = forwardSearch(text, '%}')
  const nextStart = forwardSearch(text, '{%')
  return at => {
    if (!text.startsWith('{%', at)) return undefined
    const close = nextEnd(at + 2)
    if (close === -1) return undefined

    const other = nextStart(at + 2)
    if (other !== -1 && other < close) return undefined
    opening.lastIndex = at
    const found = opening.exec(text)
    if (!found || at + found[0].length > close) return undefined
    if (blankLine.test(text.slice(at, close))) return undefined

    const start = at + found[0].length
    const end = Math.max(start, text[close - 1] === '-' ? close - 1 : close)
    const closes = found[1]!.startsWith('end')
    const name = closes ? found[1]!.slice(3) : found[1]!

    return { name, closes, inside: { start, end }, start: at, end: close + 2 }
  }
}

/** Returns all tags of a text in order. Linear in the text. */
export function findTags(text: string): Tag[] {
  const tags: Tag[] = []
  const read = tagReader(text)
  for (let at = text.indexOf('{%'); at !== -1; ) {
    const tag = read(at)
    if (tag) tags.push(tag)
    at = text.indexOf('{%', tag ? tag.end : at + 2)
  }
  return tags
}

/** Returns the attributes of a tag in order; a name without a value has the value ''. */
export function tagAttributes(text: string, { inside }: Tag): TagAttribute[] {
  const found = text.slice(inside.start, inside.end).matchAll(attribute)
  return Array.from(found, ({ 0: whole, 1: name, 2: double, 3: single, 4: bare, index }) => {
    const value = double ?? single ?? bare ?? ''
    const end =
      inside.start + index + whole.length - (double === undefined && single === undefined ? 0 : 1)
    return {
      name: name!.toLowerCase(),
      value: decodeEntities(value),
      raw: { start: end - value.length, end },
    }
  })
}

/**
 * Returns the value of an attribute of a tag, without character references; the first of its name
 * counts.
 */
export const tagAttribute = (text: string, tag: Tag, name: string): TagAttribute | undefined =>
  tagAttributes(text, tag).find(each => each.name === name)

/** Returns the quoted text that a tag such as `{% include "a.md" %}` has in place of attributes. */
export function quotedArgument(
  text: string,
  { inside }: Tag,
): Pick<TagAttribute, 'value' | 'raw'> | undefined {
  const found = quoted.exec(text.slice(inside.start, inside.end))
  if (!found) return undefined
  const value = found[1] ?? found[2]!
  const start = inside.start + found.index + 1
  return { value: decodeEntities(value), raw: { start, end: start + value.length } }
}

/**
 * Returns a search for `what` from offsets that do not decrease: each stretch of the text is
 * searched once.
 */
function forwardSearch(text: string, what: string): (from: number) => number {
  let at = -2
  return from => {
    if (at !== -1 && at < from) at = text.indexOf(what, from)
    return at
  }
}
