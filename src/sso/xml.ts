import { limits } from './limits.ts'
import { Refused } from './reasons.ts'

/**
 * An element of an XML document: its namespace, local name, attributes by their names as written,
 * and content.
 */
export type Element = {
  namespace: string
  name: string
  /** The name as written, with its prefix. */
  tag: string
  /** The namespaces that apply to it, by prefix. */
  scope: ReadonlyMap<string, string>
  attributes: ReadonlyMap<string, string>
  /** Text and child elements in their order. */
  content: (Element | string)[]
  children: Element[]
  /** The text directly in it, around comments and child elements. */
  text: string
  hasComment: boolean
}

/**
 * A comment, CDATA, an end tag, a start tag, or text up to the next "<". Anything else is refused.
 */
const token =
  /<!--((?:(?!--).)*)-->|<!\[CDATA\[((?:(?!\]\]>).)*)\]\]>|<\/([\w.-]+(?::[\w.-]+)?)\s*>|<([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/sy
const attribute = /\s+([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g
const declaration =
  /^\uFEFF?<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["'](?:utf-8|us-ascii)["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>/i

/**
 * Parses an XML document strictly: no DOCTYPE, no entities but the five of XML, no processing
 * instructions, and within the limits. Throws Refused with 'document' otherwise. Takes time in
 * proportion to the length.
 */
export function parseXml(document: string): Element {
  // As XML asks: line ends are one character.
  const text = document.replace(declaration, '').replace(/\r\n?/g, '\n')
  let root: Element | undefined
  let count = 0
  let namespaces = 0
  const open: Element[] = []

  token.lastIndex = 0

  while (token.lastIndex < text.length) {
    const found = token.exec(text)
    if (!found) throw new Refused('document')
    const [, , , , start, attributes = '', empty] = found
    const parent = open.at(-1)
    if (isCounted(found) && ++count > limits.elements) throw new Refused('document')

    if (start === undefined) {
      take(found, open)
      continue
    }

    if ((root && !parent) || open.length >= limits.depth) throw new Refused('document')

    const element = startOf(start, attributes, parent)
    if (element.scope !== parent?.scope) namespaces += declarationsIn(element)
    if (namespaces > limits.namespaces) throw new Refused('document')
    if (parent) addChild(parent, element)
    root ??= element
    if (empty !== '/') open.push(element)
  }

  if (!root || open.length > 0) throw new Refused('document')

  return root
}

/** Whether a token is an element, a comment or CDATA. */
const isCounted = ([, comment, cdata, , start]: RegExpExecArray): boolean =>
  (comment ?? cdata ?? start) !== undefined

/** Takes a comment, text or an end tag. */
function take(
  [, comment, cdata, end, , , , characters = '']: RegExpExecArray,
  open: Element[],
): void {
  const parent = open.at(-1)
  if (end !== undefined) {
    if (open.pop()?.tag !== end) throw new Refused('document')
  } else if (comment !== undefined) {
    if (parent) parent.hasComment = true
  } else addText(parent, cdata ?? decoded(characters))
}

function addText(parent: Element | undefined, text: string): void {
  if (parent) {
    parent.text += text
    parent.content.push(text)
  } else if (/\S/.test(text)) throw new Refused('document')
}

function addChild(parent: Element, child: Element): void {
  if (parent.children.length >= limits.children) throw new Refused('document')
  parent.children.push(child)
  parent.content.push(child)
}

const noNamespaces: ReadonlyMap<string, string> = new Map()

const declarationsIn = ({ attributes }: Element): number =>
  [...attributes.keys()].filter(name => name === 'xmlns' || name.startsWith('xmlns:')).length

function startOf(tag: string, written: string, parent: Element | undefined): Element {
  const attributes = new Map<string, string>()
  const declared = new Map<string, string>()
  for (const [, name = '', double, single] of written.matchAll(attribute)) {
    if (attributes.has(name)) throw new Refused('document')
    const value = decoded((double ?? single ?? '').replace(/[\t\n]/g, ' '))
    attributes.set(name, value)
    if (name === 'xmlns') declared.set('', value)
    else if (name.startsWith('xmlns:')) declared.set(name.slice(6), value)
    if (declared.size > limits.namespaces) throw new Refused('document')
  }

  const above = parent?.scope ?? noNamespaces
  const scope = declared.size === 0 ? above : new Map([...above, ...declared])
  const [prefix, name] = tag.includes(':') ? tag.split(':', 2) : ['', tag]
  const namespace = scope.get(prefix as string)
  if (namespace === undefined && prefix !== '') throw new Refused('document')

  return {
    namespace: namespace ?? '',
    name: name as string,
    tag,
    scope,
    attributes,
    content: [],
    children: [],
    text: '',
    hasComment: false,
  }
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Returns text with its references replaced. Throws for any but those of XML itself, and for
 * unescaped characters.
 */
function decoded(text: string): string {
  if (text.includes('\0') || text.includes(']]>')) throw new Refused('document')
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}))?(;?)/gi,
    (_, hex, decimal, name, end) => {
      const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined
      const character =
        code === undefined ? named[name ?? ''] : isCharacter(code) && String.fromCodePoint(code)
      if (!character || end !== ';') throw new Refused('document')
      return character
    },
  )
}

const isCharacter = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 32 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff)

/** Returns every element of a tree, the root first. */
export function* everyElement(root: Element): Generator<Element> {
  yield root
  for (const child of root.children) yield* everyElement(child)
}

/** Returns the children of an element with a namespace and a local name. */
export const childrenOf = (
  element: Element | undefined,
  namespace: string,
  name: string,
): Element[] =>
  element?.children.filter(child => child.namespace === namespace && child.name === name) ?? []

/**
 * Returns the only child with a namespace and a local name; undefined if there is none, or more
 * than one.
 */
export function onlyChild(
  element: Element | undefined,
  namespace: string,
  name: string,
): Element | undefined {
  const found = childrenOf(element, namespace, name)
  return found.length === 1 ? found[0] : undefined
}
