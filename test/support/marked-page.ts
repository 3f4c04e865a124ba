import * as assert from 'uvu/assert'
import { type MarkedPage, markChanges } from '../../src/content/changes/mark-changes.ts'
import { pageTree } from '../../src/content/markup/parse.ts'
import { isBlockName, type MarkupElement, type MarkupNode } from '../../src/content/markup/tree.ts'
import { atOnce } from '../../src/lib/slices.ts'

export type Shape = string | { name: string; attributes: Record<string, string>; nodes: Shape[] }
type Notes = ReadonlyMap<string, string>
type Version = { root: MarkupElement; notes: Notes }

const lines = /^(?:p|h[1-6]|summary|figcaption|pre|math)$/
const exact = /^(?:pre|code|formula|math|tt|samp)$/
const reserved = ['change', 'change-id', 'words']

const isInline = (node: MarkupNode): boolean =>
  typeof node === 'string' || (!isBlockName(node.name) && !node.blocks)

/** Parses two pages and marks what changed. */
export function markPages(before: string, after: string) {
  const versions = { before: atOnce(pageTree(before)), after: atOnce(pageTree(after)) }
  return { ...versions, page: atOnce(markChanges(versions.before, versions.after)) }
}

function joined(
  nodes: readonly MarkupNode[],
  notes: Notes,
  isExact: boolean,
  trims: boolean,
): Shape[] {
  const shapes: Shape[] = []
  for (const node of nodes) {
    const shape =
      typeof node === 'string' ? node : node.name === '#wrap' ? '\n' : shapeOf(node, notes)
    const last = shapes.at(-1)
    if (typeof shape === 'string' && typeof last === 'string')
      shapes[shapes.length - 1] = last + shape
    else shapes.push(shape)
  }

  return shapes
    .map((shape, at) => {
      if (typeof shape !== 'string' || isExact) return shape
      const text = shape.replace(/\s+/g, ' ')
      const begun = trims && at === 0 ? text.trimStart() : text
      return trims && at === shapes.length - 1 ? begun.trimEnd() : begun
    })
    .filter(shape => shape !== '')
}

/**
 * Returns what a reader sees of an element: adjacent texts are joined, white space between words is
 * one space, words directly in a container are a paragraph, footnotes are their text.
 */
export function shapeOf(element: MarkupElement, notes: Notes, root = false): Shape {
  const { name, nodes } = element
  const own = Object.entries(element.attributes).filter(([key]) => !reserved.includes(key))
  const attributes = Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)))
  if (name === '#note')
    return { name, attributes: {}, nodes: [notes.get(element.attributes.name ?? '') ?? ''] }

  const simple = nodes.every(isInline)

  if (!root && (isInline(element) || (lines.test(name) && simple)))
    return {
      name,
      attributes,
      nodes: joined(nodes, notes, exact.test(name), !isInline(element) && !exact.test(name)),
    }

  const shapes: Shape[] = []
  let line: MarkupNode[] = []
  const flush = () => {
    const inside = joined(line, notes, false, true)
    if (inside.length > 0) shapes.push({ name: 'p', attributes: {}, nodes: inside })
    line = []
  }

  for (const node of nodes) {
    if (isInline(node)) line.push(node)
    else {
      flush()
      shapes.push(shapeOf(node as MarkupElement, notes))
    }
  }

  flush()

  return { name, attributes, nodes: shapes }
}

/** What a version lacks of the marked page, and how its own words are marked. */
type Reading = {
  lacks: string[]
  without: string
  with: string
  former: MarkedPage['former'] | null
}

function read(node: MarkupNode, reading: Reading): MarkupNode[] {
  if (typeof node === 'string') return [node]
  const { change, words } = node.attributes
  if (change !== undefined && reading.lacks.includes(change)) return []
  if (words !== undefined && node.name === reading.without) return []

  const nodes = node.nodes.flatMap(inner => read(inner, reading))
  if (words !== undefined && node.name === reading.with) return nodes

  const { name, attributes } = reading.former?.get(node) ?? node

  return [
    {
      name,
      attributes,
      nodes,
      blocks: nodes.some(inner => !isInline(inner)) || (node.blocks && node.nodes.length === 0),
    },
  ]
}

function without(node: MarkupNode, gone: ReadonlySet<MarkupElement>): MarkupNode[] {
  if (typeof node === 'string') return [node]
  if (gone.has(node)) return []
  return [{ ...node, nodes: node.nodes.flatMap(inner => without(inner, gone)) }]
}

const all = (element: MarkupElement): MarkupElement[] => [
  element,
  ...element.nodes.flatMap(node => (typeof node === 'string' ? [] : all(node))),
]

/** Asserts that a marked page contains exactly the two versions, and that its marks are sound. */
export function assertMarked(page: MarkedPage, before: Version, after: Version): void {
  const [now] = read(page.root, { lacks: ['removed'], without: 'del', with: 'ins', former: null })
  assert.equal(
    shapeOf(now as MarkupElement, page.notes, true),
    shapeOf(after.root, after.notes, true),
  )

  // Moved blocks are at their new places only.
  const [then] = read(page.root, {
    lacks: ['added', 'moved'],
    without: 'ins',
    with: 'del',
    former: page.former,
  })
  const elements = all(page.root)
  const moved = elements.filter(({ attributes }) => attributes.change === 'moved')
  const [stayed] = without(before.root, new Set(moved.map(element => page.former.get(element)!)))

  assert.equal(
    shapeOf(then as MarkupElement, page.notes, true),
    shapeOf(stayed as MarkupElement, before.notes, true),
  )
  for (const element of moved)
    assert.equal(shapeOf(element, page.notes), shapeOf(page.former.get(element)!, before.notes))
  assertSound(page, elements)
}

function assertSound({ root, changes }: MarkedPage, elements: MarkupElement[]): void {
  const marks = elements.filter(({ attributes }) => attributes.change !== undefined)
  assert.equal(
    marks.map(({ name, attributes }) => [attributes['change-id'], attributes.change, name]),
    changes.map(({ id, kind, name }) => [String(id), kind, name]),
  )

  assert.equal(
    changes.map(({ id }) => id),
    changes.map((_, at) => at + 1),
  )

  const check = (element: MarkupElement, inside: { words: boolean; whole: boolean }): void => {
    const { change, words } = element.attributes
    if (words !== undefined) {
      assert.not(inside.words || inside.whole, 'changed words within changed words')
      assert.is(words, element.name === 'ins' ? 'added' : 'removed')
      assert.ok(element.nodes.length > 0 && element.nodes.every(isInline), 'words without blocks')
    }

    if (change !== undefined) assert.not(inside.words || inside.whole, 'a mark in a marked whole')

    const whole = inside.whole || (change !== undefined && change !== 'edited')

    for (const node of element.nodes)
      if (typeof node !== 'string')
        check(node, { words: inside.words || words !== undefined, whole })
  }

  check(root, { words: false, whole: false })
}

/**
 * Returns a marked page as short text: `+[p: …]` added, `-` removed, `~` edited, `>` moved,
 * `{+words+}`, `{-words-}`.
 */
export function shortly(node: MarkupNode): string {
  if (typeof node === 'string') return node.trim() === '' ? (node === '' ? '' : ' ') : node
  if (node.name === '#wrap') return ' '
  const inside = node.nodes.map(shortly).join('')
  const { change, words } = node.attributes
  if (words !== undefined) return words === 'added' ? `{+${inside}+}` : `{-${inside}-}`
  const sign = { added: '+', removed: '-', edited: '~', moved: '>' }[change ?? ''] ?? ''
  return `${sign}${node.name}(${inside})`
}
