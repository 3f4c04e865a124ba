import type { Steps } from '../../lib/slices.ts'
import { isBlank, isFlow, isInline, isVerbatim, type PageElement, type PageNode } from './nodes.ts'

/** A block among its siblings. Words without an element of their own are `loose`: they count as a paragraph. */
export type Item = { element: PageElement; loose: boolean; key: number }

/** The number of each distinct text and element; both versions of a page share them. */
export type Ids = { texts: Map<string, number>; elements: Map<string, number> }

/** One version of a page. Two nodes have the same key if a reader sees the same, in both versions of the page. */
export type Side = {
  ids: Ids
  keys: Map<PageElement, number>
  items: Map<PageElement, Item[]>
  notes: ReadonlyMap<string, string>
  seen: number
}

/** Containers with more nodes are read in steps. */
const wide = 64

/** Returns one version of a page without any keys. */
export const sideOf = (ids: Ids, notes: ReadonlyMap<string, string>): Side => ({
  ids,
  keys: new Map(),
  items: new Map(),
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

function keyOfParts({ ids }: Side, parts: string): number {
  const known = ids.elements.get(parts)
  if (known !== undefined) return known
  const key = ids.elements.size * 2 + 1
  ids.elements.set(parts, key)
  return key
}

/** Returns the key of an image, which is its source: other attributes do not make it another image. */
export const keyOfImage = (side: Side, { attributes }: PageElement): number =>
  keyOfParts(side, `!${attributes.src ?? ''}`)

/** Returns the attributes of an element as text, in the order of their names. */
export function attributesKey({ attributes }: PageElement): string {
  const entries = Object.entries(attributes)
  if (entries.length === 0) return ''
  return JSON.stringify(entries.length > 1 ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries)
}

/** Returns the keys of a line of words, in which the line breaks of the source are spaces. */
function wordKeys(side: Side, nodes: readonly PageNode[], verbatim: boolean, edges: boolean): number[] {
  const keys: number[] = []
  let text = ''
  function flush(last: boolean): void {
    let shown = verbatim ? text : text.replace(/\s+/g, ' ')
    if (edges && keys.length === 0) shown = shown.trimStart()
    if (edges && last) shown = shown.trimEnd()
    if (shown !== '') keys.push(keyOfText(side, shown))
    text = ''
  }
  for (const node of nodes) {
    if (typeof node === 'string') text += node
    else if (node.name === 'wrap') text += '\n'
    else {
      flush(false)
      keys.push(keyOf(side, node))
    }
  }
  flush(true)
  return keys
}

/** Returns the key of an element. */
export function keyOf(side: Side, element: PageElement): number {
  const known = side.keys.get(element)
  if (known !== undefined) return known
  const { name, nodes } = element
  let inside: string
  if (name === 'note') inside = side.notes.get(element.attributes.name ?? '') ?? ''
  else if (isFlow(element))
    inside = itemsOf(side, element)
      .map(({ key }) => key)
      .join()
  else {
    const verbatim = isVerbatim(element)
    inside = wordKeys(side, nodes, verbatim, !isInline(element) && !verbatim).join()
  }
  const attributes = name === 'note' ? '' : attributesKey(element)
  const key = keyOfParts(side, `<${name}${attributes}>${inside}`)
  side.keys.set(element, key)
  return key
}

/** Returns the blocks in an element, in order. */
export function itemsOf(side: Side, element: PageElement): Item[] {
  const known = side.items.get(element)
  if (known) return known
  const items: Item[] = []
  let line: PageNode[] = []
  function flush(): void {
    if (!line.every(isBlank)) {
      const paragraph: PageElement = { name: 'p', attributes: {}, nodes: line, blocks: false }
      items.push({ element: paragraph, loose: true, key: keyOf(side, paragraph) })
    }
    line = []
  }
  for (const node of element.nodes) {
    if (typeof node === 'string' || isInline(node)) line.push(node)
    else {
      flush()
      items.push({ element: node, loose: false, key: keyOf(side, node) })
    }
  }
  flush()
  side.items.set(element, items)
  return items
}

/** Computes the keys below an element, so that no later look-up takes long. */
export function* keySteps(side: Side, element: PageElement): Steps<void> {
  for (const node of element.nodes) {
    if (typeof node === 'string') continue
    if (node.blocks || node.nodes.length > wide) yield* keySteps(side, node)
    else keyOf(side, node)
    if (++side.seen % 256 === 0) yield
  }
  keyOf(side, element)
}
