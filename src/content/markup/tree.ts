import { mustGet } from '../../lib/must-get.ts'
/**
 * An element of a page. Markdown has the names of HTML elements; tags have names such as `%hint`.
 */
export type MarkupElement = {
  name: string
  attributes: Readonly<Record<string, string>>
  nodes: MarkupNode[]
  /** True if it contains a block. */
  blocks: boolean
}
export type MarkupNode = string | MarkupElement

/** Reports whether a node is an element. */
export const isElement = (node: MarkupNode): node is MarkupElement => typeof node !== 'string'

/**
 * An open element. `wall`: a Markdown block, which nothing inside can close. `raw`: the source of a
 * tag, shown if it is never closed. `open`: of a wall, how many elements of each name are open in
 * it; undefined until one is.
 */
type Frame = {
  name: string
  element: MarkupElement
  depth: number
  wall: boolean
  raw: string | null
  open: Map<string, number> | undefined
}
type More = { wall?: boolean; raw?: string; alone?: boolean }

/** A tree under construction, with a stack of open elements. */
export type Growing = {
  root: MarkupElement
  frames: Frame[]
  /** The open walls. */
  walls: Frame[]
  /** The number of elements so far. */
  count: number
  alone: Set<MarkupElement>
}

/** Deeper elements are dropped, and their content belongs to the element around them. */
const deepest = 48
/**
 * The most elements of a tree. Comparing two pages takes 600 bytes for each of their elements, and
 * all of it fits a heap of 256 MB. The largest pages of real documentation have 10,000.
 */
const mostElements = 100_000
/** How many open elements are checked for one that a new element closes. */
const near = 16

const blockNames = new Set(
  (
    'address article aside blockquote center dd details dialog div dl dt fieldset figure figcaption footer form group ' +
    'h1 h2 h3 h4 h5 h6 header hr li main math nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/** The elements that a start tag closes implicitly, unless one of `within` is between. */
const ends: Readonly<Record<string, { like: string[]; within: string[] }>> = {
  li: { like: ['li'], within: ['ul', 'ol'] },
  td: { like: ['td', 'th'], within: ['tr', 'table'] },
  th: { like: ['td', 'th'], within: ['tr', 'table'] },
  tr: { like: ['tr'], within: ['table'] },
  dt: { like: ['dt', 'dd'], within: ['dl'] },
  dd: { like: ['dt', 'dd'], within: ['dl'] },
}

/** Reports whether an element is a block. */
export const isBlockName = (name: string): boolean => blockNames.has(name) || name.startsWith('%')

/**
 * Shared, because most elements have no attributes, and a page may have a hundred thousand
 * elements.
 */
const noAttributes: Readonly<Record<string, string>> = Object.freeze({})

const element = (name: string, attributes = noAttributes): MarkupElement => ({
  name,
  attributes,
  nodes: [],
  blocks: false,
})

/** Returns an empty tree. */
export function growTree(): Growing {
  const root = element('group')
  const frame: Frame = { name: '', element: root, depth: 0, wall: true, raw: null, open: undefined }
  return { root, frames: [frame], walls: [frame], count: 0, alone: new Set() }
}

function holds(growing: Growing): void {
  for (let at = growing.frames.length - 1; at >= 0; at--) {
    const { element } = growing.frames[at]!
    if (element.blocks) return
    element.blocks = true
  }
}

function pop(growing: Growing, closed: boolean): void {
  const { name, element: made, wall, raw } = growing.frames.pop()!
  if (wall) growing.walls.pop()
  else {
    const open = growing.walls.at(-1)!.open!
    open.set(name, mustGet(open, name) - 1)
  }

  // A list that grows has room for 17 nodes, and most elements have one.
  if (made.nodes.length < 12) made.nodes = made.nodes.slice()
  if (closed || raw === null) return

  // A tag without an end tag stands alone, or is shown as source.
  const single = growing.alone.has(made)
  const shown = element(single ? name : 'p', single ? made.attributes : {})
  if (!single) shown.nodes.push(raw)
  made.name = 'group'
  made.nodes.unshift(shown)
}

function endBefore(growing: Growing, name: string): void {
  const top = growing.frames.at(-1)!
  if (isBlockName(name) && top.name === 'p' && !top.wall) pop(growing, true)
  const rule = Object.hasOwn(ends, name) ? ends[name]! : null
  if (!rule) return

  const lowest = Math.max(0, growing.frames.length - near)

  for (let at = growing.frames.length - 1; at >= lowest; at--) {
    const frame = growing.frames[at]!
    if (frame.wall || rule.within.includes(frame.name)) return
    if (!rule.like.includes(frame.name)) continue
    while (growing.frames.length > at) pop(growing, true)
    return
  }
}

/** Reports whether a tree has as many elements as it may. The caller then adds no more. */
export const isGrown = ({ count }: Growing): boolean => count >= mostElements

/** Opens an element; it contains what is added next. */
export function openElement(
  growing: Growing,
  name: string,
  attributes: Readonly<Record<string, string>> = noAttributes,
  { wall = false, raw, alone = false }: More = {},
): void {
  if (!wall) endBefore(growing, name)
  else if (name === 'li') beginAgain(growing)
  const parent = growing.frames.at(-1)!
  const flat = parent.depth >= deepest
  const made = flat ? parent.element : element(name, attributes)

  if (!flat) {
    growing.count++
    if (isBlockName(name)) holds(growing)
    parent.element.nodes.push(made)
    if (alone) growing.alone.add(made)
  }

  const depth = parent.depth + (flat ? 0 : 1)
  const frame: Frame = {
    name,
    element: made,
    depth,
    wall,
    raw: flat ? null : (raw ?? null),
    open: undefined,
  }

  growing.frames.push(frame)

  if (wall) growing.walls.push(frame)
  else {
    const around = growing.walls.at(-1)!
    around.open ??= new Map()
    around.open.set(name, (around.open.get(name) ?? 0) + 1)
  }
}

/**
 * Closes the innermost open element of this name and the elements in it. Returns whether there was
 * one.
 */
export function closeElement(growing: Growing, name: string): boolean {
  if (!growing.walls.at(-1)!.open?.get(name)) return false
  while (growing.frames.at(-1)!.name !== name) pop(growing, false)
  pop(growing, true)
  return true
}

const isList = ({ name }: Frame): boolean => name === 'ul' || name === 'ol' || name === 'li'

/** Reports whether nothing precedes what is added next in a list item. */
const beginsItem = ({ element: { name, nodes } }: Frame): boolean =>
  name === 'li' && nodes.length === 0

/**
 * Closes the lists within the innermost open element of a name; `inner` are elements that must not
 * be open in it. Returns the names of the lists and items, the innermost first; undefined, and
 * nothing is closed, if there are none or no such element is around them.
 */
function leaveLists(growing: Growing, name: string, inner?: string): string[] | undefined {
  const { frames, walls } = growing
  const count = (frame: Frame, each: string | undefined) =>
    each === undefined ? 0 : (frame.open?.get(each) ?? 0)
  if (beginsItem(walls.at(-1)!)) return undefined

  let at = walls.length - 1
  while (isList(walls[at]!) && count(walls[at]!, name) <= count(walls[at]!, inner)) at--
  if (at === walls.length - 1 || count(walls[at]!, name) <= count(walls[at]!, inner))
    return undefined

  const left: string[] = []

  while (walls.length > at + 1) {
    left.push(walls.at(-1)!.name)
    closeWall(growing)
  }

  while (frames.at(-1)!.name !== name) pop(growing, false)

  return left
}

/**
 * Opens lists whose content belongs to the element around them: the parser of Markdown still closes
 * them.
 */
function enterLists(growing: Growing, names: readonly string[]): void {
  const { element, depth } = growing.frames.at(-1)!
  for (const name of names.toReversed()) {
    const frame: Frame = { name, element, depth, wall: true, raw: null, open: undefined }
    growing.frames.push(frame)
    growing.walls.push(frame)
  }
}

/** Begins a list that was left again, for its further items. */
function beginAgain(growing: Growing): void {
  const list = growing.frames.at(-1)!
  if (list.name === list.element.name || !isList(list) || list.depth >= deepest) return
  openElement(growing, list.name, undefined, { wall: true })
  const again = growing.frames.pop()!
  growing.walls.pop()
  list.element = again.element
  list.depth = again.depth
}

/**
 * Closes the innermost open element of a name that is around the open lists: the indentation of its
 * end made it a part of them. Returns whether there was one.
 */
export function closeAroundLists(growing: Growing, name: string): boolean {
  const left = leaveLists(growing, name)
  if (!left) return false
  pop(growing, true)
  enterLists(growing, left)
  return true
}

/** Opens an element, out of the open lists if the element that contains it is around them. */
export function openAroundLists(
  growing: Growing,
  name: string,
  container: string,
  open: () => void,
): void {
  const left = leaveLists(growing, container, name) ?? []
  open()
  enterLists(growing, left)
}

/** Closes the innermost wall and the elements in it. */
export function closeWall(growing: Growing): void {
  while (!growing.frames.at(-1)!.wall) pop(growing, false)
  pop(growing, true)
}

/**
 * Closes all elements and returns the tree. A tree that has grown too large ends with a sentence.
 */
export function grown(growing: Growing): MarkupElement {
  while (growing.frames.length > 1) pop(growing, growing.frames.at(-1)!.wall)
  if (isGrown(growing))
    addElement(growing, 'p', undefined, [
      `The rest of this page is left out: it has more than ${mostElements.toLocaleString('en')} cells, list items, links and other elements. Split it.`,
    ])
  return growing.root
}

/** Adds text. */
export function addWords(growing: Growing, text: string): void {
  if (text !== '') growing.frames.at(-1)!.element.nodes.push(text)
}

/** Adds a complete element. */
export function addElement(
  growing: Growing,
  name: string,
  attributes: Readonly<Record<string, string>> = noAttributes,
  nodes: MarkupNode[] = [],
): void {
  endBefore(growing, name)
  growing.count++
  if (isBlockName(name)) holds(growing)
  growing.frames.at(-1)!.element.nodes.push({ name, attributes, nodes, blocks: false })
}

/** Returns the innermost open element. */
export const innermost = (growing: Growing): MarkupElement => growing.frames.at(-1)!.element

/** Returns the text of a node, without footnotes and images. Linear in the node. */
export const wordsIn = (node: MarkupNode): string =>
  typeof node === 'string' ? node : node.name === 'br' ? ' ' : node.nodes.map(wordsIn).join('')

/**
 * Returns the width in pixels that an attribute holds; undefined for other values, such as a
 * percentage.
 */
export function pixels(value: string | undefined): number | undefined {
  const found = /^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$/.exec(value ?? '')
  return found && Number(found[1]) > 0 ? Number(found[1]) : undefined
}

/** Returns the first image in an element, or the element itself if it is one. */
export function imageIn(node: MarkupElement): MarkupElement | undefined {
  if (node.name === 'img') return node
  for (const inner of node.nodes) {
    const found = typeof inner !== 'string' ? imageIn(inner) : undefined
    if (found) return found
  }
  return undefined
}
