/** Something of a page that is to be printed: an HTML element, Markdown by the same names, or a tag as `%name`. */
export type PrintElement = {
  name: string
  attributes: Readonly<Record<string, string>>
  nodes: PrintNode[]
  /** Says that a block stands somewhere in it. */
  blocks: boolean
}
export type PrintNode = string | PrintElement

/** `wall`: Markdown's own, which nothing within can end. `raw`: how a tag is shown that is never closed. */
type Frame = { name: string; element: PrintElement; depth: number; wall: boolean; raw: string | null }
type More = { wall?: boolean; raw?: string; alone?: boolean }

/** A tree that grows; what is still open is a stack. */
export type Growing = {
  root: PrintElement
  frames: Frame[]
  scopes: Map<string, number>[]
  alone: Set<PrintElement>
}

/** Elements deeper than this are left out, and what is in them belongs to the one around. */
const deepest = 48
/** How far is looked for what an element ends by beginning. */
const near = 16

const blockNames = new Set(
  (
    'address article aside blockquote center dd details dialog div dl dt fieldset figure figcaption footer form group ' +
    'h1 h2 h3 h4 h5 h6 header hr li main math nav ol p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)

/** What ends when one of its kind begins, unless something else stands between. */
const ends: Readonly<Record<string, { like: string[]; within: string[] }>> = {
  li: { like: ['li'], within: ['ul', 'ol'] },
  td: { like: ['td', 'th'], within: ['tr', 'table'] },
  th: { like: ['td', 'th'], within: ['tr', 'table'] },
  tr: { like: ['tr'], within: ['table'] },
  dt: { like: ['dt', 'dd'], within: ['dl'] },
  dd: { like: ['dt', 'dd'], within: ['dl'] },
}

/** Says whether this is a block, and not part of a line. */
export const isBlockName = (name: string): boolean => blockNames.has(name) || name.startsWith('%')

const element = (name: string, attributes: Readonly<Record<string, string>> = {}): PrintElement => ({
  name,
  attributes,
  nodes: [],
  blocks: false,
})

/** Gives a tree with nothing in it. */
export const growTree = (): Growing => {
  const root = element('group')
  return {
    root,
    frames: [{ name: '', element: root, depth: 0, wall: true, raw: null }],
    scopes: [new Map()],
    alone: new Set(),
  }
}

const holds = (growing: Growing): void => {
  for (let at = growing.frames.length - 1; at >= 0; at--) {
    const { element } = growing.frames[at]!
    if (element.blocks) return
    element.blocks = true
  }
}

const pop = (growing: Growing, closed: boolean): void => {
  const { name, element: made, wall, raw } = growing.frames.pop()!
  if (wall) growing.scopes.pop()
  else {
    const scope = growing.scopes.at(-1)!
    scope.set(name, scope.get(name)! - 1)
  }
  if (closed || raw === null) return
  // A tag without an end: it stands for itself, or is the text that it was.
  const single = growing.alone.has(made)
  const shown = element(single ? name : 'p', single ? made.attributes : {})
  if (!single) shown.nodes.push(raw)
  made.name = 'group'
  made.nodes.unshift(shown)
}

const endBefore = (growing: Growing, name: string): void => {
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

/** Begins an element: what follows is in it. */
export const openElement = (
  growing: Growing,
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  { wall = false, raw, alone = false }: More = {},
): void => {
  if (!wall) endBefore(growing, name)
  const parent = growing.frames.at(-1)!
  const flat = parent.depth >= deepest
  const made = flat ? parent.element : element(name, attributes)
  if (!flat) {
    if (isBlockName(name)) holds(growing)
    parent.element.nodes.push(made)
    if (alone) growing.alone.add(made)
  }
  const depth = parent.depth + (flat ? 0 : 1)
  growing.frames.push({ name, element: made, depth, wall, raw: flat ? null : (raw ?? null) })
  if (wall) growing.scopes.push(new Map())
  else {
    const scope = growing.scopes.at(-1)!
    scope.set(name, (scope.get(name) ?? 0) + 1)
  }
}

/** Ends the innermost open element of this name, and what is open in it; says whether there was one. */
export const closeElement = (growing: Growing, name: string): boolean => {
  if (!growing.scopes.at(-1)!.get(name)) return false
  while (growing.frames.at(-1)!.name !== name) pop(growing, false)
  pop(growing, true)
  return true
}

/** Ends the innermost wall, and what is open in it. */
export const closeWall = (growing: Growing): void => {
  while (!growing.frames.at(-1)!.wall) pop(growing, false)
  pop(growing, true)
}

/** Ends all that is open, and gives the tree. */
export const grown = (growing: Growing): PrintElement => {
  while (growing.frames.length > 1) pop(growing, growing.frames.at(-1)!.wall)
  return growing.root
}

/** Adds words. */
export const addWords = (growing: Growing, text: string): void => {
  if (text !== '') growing.frames.at(-1)!.element.nodes.push(text)
}

/** Adds an element that is complete. */
export const addElement = (
  growing: Growing,
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  nodes: PrintNode[] = [],
): void => {
  endBefore(growing, name)
  if (isBlockName(name)) holds(growing)
  growing.frames.at(-1)!.element.nodes.push({ ...element(name, attributes), nodes })
}

/** Gives what is open innermost. */
export const innermost = (growing: Growing): PrintElement => growing.frames.at(-1)!.element

/** Gives the words in a node, without those of notes and images. Linear, and never deeper than the tree. */
export const wordsIn = (node: PrintNode): string =>
  typeof node === 'string' ? node : node.name === 'br' ? ' ' : node.nodes.map(wordsIn).join('')

/** Returns the width in pixels that an attribute holds; undefined for other values, such as a percentage. */
export function pixels(value: string | undefined): number | undefined {
  const found = /^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$/.exec(value ?? '')
  return found && Number(found[1]) > 0 ? Number(found[1]) : undefined
}
