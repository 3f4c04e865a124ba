import { isComponent } from '../markdown/components.ts'
import { kindOfTag } from '../markdown/elements.ts'
import { decodeEntities } from '../markdown/entities.ts'
import { htmlTagAt } from '../markdown/html.ts'

/**
 * A tag of HTML; character references are resolved. Names are in lower case, except those of
 * components.
 */
export type HtmlTag =
  | { kind: 'open'; name: string; attributes: Record<string, string>; closed: boolean }
  | { kind: 'close'; name: string }

type HtmlPiece = HtmlTag | { kind: 'text'; text: string }

const attribute = /([A-Za-z_:@][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/** Elements without content and end tag. */
const empty = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])

/** Attributes that only the reader and the comparison of pages set. */
export const reserved = new Set(['section', 'change', 'change-id', 'words', 'lines'])

/**
 * Reads `name="value"` pairs; a name alone has the value ''. The first of two equal names is used.
 */
function readAttributes(source: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null)
  for (const [, name, double, single, bare] of source.matchAll(attribute))
    if (!reserved.has(name!.toLowerCase()))
      found[name!.toLowerCase()] ??= decodeEntities(double ?? single ?? bare ?? '')
  return found
}

/**
 * Returns a function that finds the end of a string; the end of the source if it does not occur. It
 * never searches in vain twice.
 */
function finder(source: string) {
  const absent = new Set<string>()
  return (what: string, from: number): number => {
    if (absent.has(what)) return source.length
    const at = source.indexOf(what, from)
    if (at === -1) absent.add(what)
    return at === -1 ? source.length : at + what.length
  }
}

function piece(tag: string): HtmlTag {
  const name = /[A-Za-z][A-Za-z0-9-]*/.exec(tag)![0]
  const lower = isComponent(name) ? name : name.toLowerCase()
  if (tag[1] === '/') return { kind: 'close', name: lower }
  const attributes = readAttributes(tag.slice(1 + name.length, -1))
  return { kind: 'open', name: lower, attributes, closed: tag.endsWith('/>') || empty.has(lower) }
}

/** Returns the tag of an element or a component at an offset; undefined where there is none. */
function elementTagAt(source: string, at: number): string | undefined {
  const tag = htmlTagAt(source, at)
  return tag !== undefined && kindOfTag(tag) !== 'text' ? tag : undefined
}

/**
 * Returns the pieces of HTML in order, without comments, scripts and styles. Tags of unknown
 * elements are text. Linear in the source.
 */
export function* htmlPieces(source: string): Generator<HtmlPiece, void, void> {
  const find = finder(source)
  let plain = 0
  for (
    let at = source.indexOf('<');
    at !== -1 && at < source.length;
    at = source.indexOf('<', at)
  ) {
    const found = elementTagAt(source, at)
    let next = at + 1
    if (found) next = at + found.length
    else if (source.startsWith('<!--', at)) next = find('-->', at + 2)
    else if (source[at + 1] === '!' || source[at + 1] === '?') next = find('>', at + 2)

    if (next > at + 1) {
      if (plain < at) yield { kind: 'text', text: decodeEntities(source.slice(plain, at)) }
      const made = found ? piece(found) : null
      if (made?.kind === 'open' && (made.name === 'script' || made.name === 'style'))
        next = find(`</${made.name}>`, next)
      else if (made) yield made
      plain = next
    }

    at = next
  }

  if (plain < source.length) yield { kind: 'text', text: decodeEntities(source.slice(plain)) }
}
