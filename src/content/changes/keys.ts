import type { Steps } from '../../lib/slices.ts'
import { blocksAndLines, isBlank, isInline } from '../markup/lines.ts'
import { isFlow, isSimple, isVerbatim, type PageElement, type PageNode } from './nodes.ts'

/**
 * A block among its siblings. Words without an element of their own are `loose`: they count as a
 * paragraph.
 */
export type Item = { element: PageElement; loose: boolean; key: number }

/** What is in an element: the key of its only text or block, or the keys of more as text. */
type Inside = number | string

/**
 * The number of each distinct text and element; both versions of a page share them. `plain` has the
 * elements without attributes by their name, which saves writing each as text.
 */
type Ids = {
  texts: Map<string, number>
  elements: Map<string, number>
  plain: Map<string, Map<Inside, number>>
  /** How many elements have a number. */
  count: number
}

/** Returns numbers for no text and no element. */
export const newIds = (): Ids => ({
  texts: new Map(),
  elements: new Map(),
  plain: new Map(),
  count: 0,
})

/**
 * One version of a page. Two nodes have the same key if a reader sees the same, in both versions of
 * the page.
 */
export type Side = {
  ids: Ids
  /**
   * The keys of elements; those of a few words are not kept, because a page has a hundred thousand
   * of them.
   */
  keys: Map<PageElement, number>
  notes: ReadonlyMap<string, string>
  seen: number
}

/** Containers with more nodes are read in steps. */
const wide = 64

/** Returns one version of a page without any keys. */
export const sideOf = (ids: Ids, notes: ReadonlyMap<string, string>): Side => ({
  ids,
  keys: new Map(),
  notes,
  seen: 0,
})

/** Returns the key of a piece of text. */
export function keyOfText({ ids }: Side, text: string): number {
  const known = ids.texts.get(text)
  if (known !== undefined) return known
  const key = ids.texts.size * 2
  ids.texts.set(text, key)
  return key
}

function numbered<Parts>(ids: Ids, numbers: Map<Parts, number>, parts: Parts): number {
  const known = numbers.get(parts)
  if (known !== undefined) return known
  const key = ids.count++ * 2 + 1
  numbers.set(parts, key)
  return key
}

/** Returns the key of an element without attributes. */
function keyOfPlain({ ids }: Side, name: string, inside: Inside): number {
  let numbers = ids.plain.get(name)
  if (!numbers) {
    numbers = new Map()
    ids.plain.set(name, numbers)
  }
  return numbered(ids, numbers, inside)
}

/**
 * Returns the key of an image, which is its source: other attributes do not make it another image.
 */
export const keyOfImage = (side: Side, { attributes }: PageElement): number =>
  numbered(side.ids, side.ids.elements, `!${attributes.src ?? ''}`)

function isEmpty(attributes: PageElement['attributes']): boolean {
  for (const _ in attributes) return false
  return true
}

/** Returns the attributes of an element as text, in the order of their names. */
export function attributesKey({ attributes }: PageElement): string {
  if (isEmpty(attributes)) return ''
  const entries = Object.entries(attributes)
  return JSON.stringify(entries.length > 1 ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries)
}

/**
 * Returns the keys of a line of words with elements, in which the line breaks of the source are
 * spaces.
 */
function wordKeys(
  side: Side,
  nodes: readonly PageNode[],
  verbatim: boolean,
  edges: boolean,
): number[] {
  const keys: number[] = []
  let text = ''
  function flush(last: boolean): void {
    const shown = shownText(text, verbatim, edges && keys.length === 0, edges && last)
    if (shown !== '') keys.push(keyOfText(side, shown))
    text = ''
  }

  for (const node of nodes) {
    if (typeof node === 'string') text += node
    else if (node.name === '#wrap') text += '\n'
    else {
      flush(false)
      keys.push(keyOf(side, node))
    }
  }

  flush(true)

  return keys
}

/** Returns a text as a reader sees it, without white space at its start and its end. */
function shownText(text: string, verbatim: boolean, start: boolean, end: boolean): string {
  let shown = verbatim || !/\s\s|[^\S ]/.test(text) ? text : text.replace(/\s+/g, ' ')
  if (start) shown = shown.trimStart()
  return end ? shown.trimEnd() : shown
}

/** Returns what is in a line of words. */
function insideOfLine(
  side: Side,
  nodes: readonly PageNode[],
  verbatim: boolean,
  edges: boolean,
): Inside {
  let text = ''
  for (const node of nodes) {
    if (typeof node === 'string') text += node
    else if (node.name === '#wrap') text += '\n'
    else return wordKeys(side, nodes, verbatim, edges).join()
  }
  return keyOfText(side, shownText(text, verbatim, edges, edges))
}

/** Returns the key of words that count as a paragraph. */
const keyOfLine = (side: Side, line: readonly PageNode[]): number =>
  keyOfPlain(side, 'p', insideOfLine(side, line, false, true))

function insideOf(side: Side, element: PageElement): Inside {
  const { name, nodes } = element
  if (name === '#note') return side.notes.get(element.attributes.name ?? '') ?? ''

  if (!isFlow(element)) {
    const verbatim = isVerbatim(element)
    return insideOfLine(side, nodes, verbatim, !isInline(element) && !verbatim)
  }

  if (isSimple(element)) return nodes.every(isBlank) ? '' : keyOfLine(side, nodes)

  const items = itemsOf(side, element)

  return items.length === 1 ? items[0]!.key : items.map(({ key }) => key).join()
}

/** The longest text of an element whose key is computed whenever it is asked for. */
const fewCharacters = 64

/** Reports whether an element has only a few words. */
function isSmall({ nodes }: PageElement): boolean {
  const [first] = nodes
  if (nodes.length > 1) return false
  return first === undefined || (typeof first === 'string' && first.length <= fewCharacters)
}

/** Returns the key of an element. */
export function keyOf(side: Side, element: PageElement): number {
  const known = side.keys.get(element)
  if (known !== undefined) return known
  const attributes = element.name === '#note' ? '' : attributesKey(element)
  const inside = insideOf(side, element)
  const key =
    attributes === ''
      ? keyOfPlain(side, element.name, inside)
      : numbered(
          side.ids,
          side.ids.elements,
          `<${element.name}${attributes}>${typeof inside}${inside}`,
        )
  if (!isSmall(element)) side.keys.set(element, key)

  return key
}

/** Returns the blocks in an element, in order. */
export function itemsOf(side: Side, element: PageElement): Item[] {
  const items: Item[] = []
  for (const part of blocksAndLines(element.nodes))
    if (!Array.isArray(part)) items.push({ element: part, loose: false, key: keyOf(side, part) })
    else if (!part.every(isBlank)) {
      const paragraph: PageElement = { name: 'p', attributes: {}, nodes: part, blocks: false }
      items.push({ element: paragraph, loose: true, key: keyOfLine(side, part) })
    }
  return items
}

/**
 * Reports whether the key of an element takes long to compute: it contains containers, or many
 * nodes.
 */
const isLarge = ({ nodes }: PageElement): boolean =>
  nodes.length > wide ||
  nodes.some(node => typeof node !== 'string' && (node.blocks || node.nodes.length > wide))

/** Computes the keys below an element, so that no later look-up takes long. */
export function* keySteps(side: Side, element: PageElement): Steps<void> {
  for (const node of element.nodes) {
    if (typeof node === 'string') continue
    if (isLarge(node)) yield* keySteps(side, node)
    else if (!isSmall(node)) keyOf(side, node)
    if (++side.seen % 256 === 0) yield
  }
  keyOf(side, element)
}
