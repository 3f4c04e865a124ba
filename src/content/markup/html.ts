import { grammar } from '../document/grammar.ts'
import { htmlTag } from '../markdown/html.ts'

/** A piece of HTML in the order in which it stands there; names are in lower case, entities resolved. */
export type HtmlPiece =
  | { kind: 'open'; name: string; attributes: Record<string, string>; closed: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

const attribute = /([A-Za-z_:@][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/** What holds nothing, and is not closed. */
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
  'wbr',
])

/** Gives a text with its character references resolved. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? grammar.utils.unescapeAll(text.replaceAll('\\', '\\\\')) : text

/** Reads `name="value"` pairs; a name alone has the value ''. The first of two equal names counts. */
export const readAttributes = (source: string): Record<string, string> => {
  const found: Record<string, string> = Object.create(null)
  for (const [, name, double, single, bare] of source.matchAll(attribute))
    found[name!.toLowerCase()] ??= decodeEntities(double ?? single ?? bare ?? '')
  return found
}

/** Where the search for something goes on, or the end when it was looked for in vain before. */
const finder = (source: string) => {
  const absent = new Set<string>()
  return (what: string, from: number): number => {
    if (absent.has(what)) return source.length
    const at = source.indexOf(what, from)
    if (at === -1) absent.add(what)
    return at === -1 ? source.length : at + what.length
  }
}

const piece = (tag: string): HtmlPiece => {
  const name = /[A-Za-z][A-Za-z0-9-]*/.exec(tag)![0]
  const lower = name.toLowerCase()
  if (tag[1] === '/') return { kind: 'close', name: lower }
  const attributes = readAttributes(tag.slice(1 + name.length, -1))
  return { kind: 'open', name: lower, attributes, closed: tag.endsWith('/>') || empty.has(lower) }
}

/** Gives the pieces of HTML; comments, scripts and styles are not among them. Linear in the source. */
export function* htmlPieces(source: string): Generator<HtmlPiece, void, void> {
  const tag = htmlTag()
  const find = finder(source)
  let plain = 0
  for (let at = source.indexOf('<'); at !== -1 && at < source.length; at = source.indexOf('<', at)) {
    tag.lastIndex = at
    const found = tag.exec(source)?.[0]
    let next = at + 1
    if (found) next = at + found.length
    else if (source.startsWith('<!--', at)) next = find('-->', at + 4)
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
