import type { Steps } from '../../lib/slices.ts'
import { alignEqual } from './align.ts'
import { attributesKey, type Item, itemsOf } from './keys.ts'
import { wordsOf } from './likeness.ts'
import { formerNode, type Marking, marked } from './marking.ts'
import {
  elementOf,
  isDivisible,
  isFlow,
  isSimple,
  isVerbatim,
  type PageElement,
  type PageNode,
} from './nodes.ts'
import { type Pair, pairLike } from './pairs.ts'
import { markWords } from './words.ts'

/** Parts whose place says what they are: they are not reported as moved. */
const placed = new Set([
  'td',
  'th',
  'thead',
  'tbody',
  'tfoot',
  'hr',
  'br',
  'summary',
  'figcaption',
  '%column',
])

/**
 * Containers whose parts belong together by their place, if there are as many of them as before.
 */
const byPlace = new Set(['tr', '%columns'])

/**
 * The blocks of a container in both versions, with the index of the former version of each new
 * block, or -1.
 */
type Siblings = {
  marking: Marking
  gone: readonly Item[]
  come: readonly Item[]
  partners: Int32Array
  /** The former blocks that stand elsewhere now, by the index of the new one. */
  moved: Map<number, number>
  nodes: PageNode[]
}

/** Returns the nodes of both versions of a container in one, with marks. */
export function* markBlocks(
  marking: Marking,
  before: PageElement,
  after: PageElement,
): Steps<PageNode[]> {
  const gone = itemsOf(marking.before, before)
  const come = itemsOf(marking.after, after)
  const isPlaced = byPlace.has(after.name) && gone.length === come.length
  const partners = isPlaced
    ? Int32Array.from(gone, (item, at) => (canStandFor(item, come[at]!) ? at : -1))
    : yield* alignEqual(
        gone.map(({ key }) => key),
        come.map(({ key }) => key),
      )
  const siblings: Siblings = { marking, gone, come, partners, moved: new Map(), nodes: [] }
  if (!isPlaced) findMoved(siblings)

  const left = new Set(siblings.moved.values())
  const stays = (from: number, to: number) =>
    left.size === 0 ? indices(from, to) : indices(from, to).filter(index => !left.has(index))
  let [g, c] = [0, 0]

  for (let at = 0; at <= come.length; at++) {
    const partner = at === come.length ? gone.length : partners[at]!
    if (partner === -1) continue
    if (g < partner || c < at) yield* writeGap(siblings, stays(g, partner), indices(c, at))
    if (at < come.length) yield* writePair(siblings, gone[partner]!, come[at]!)
    g = partner + 1
    c = at + 1
    if (at % 64 === 63) yield
  }

  return siblings.nodes
}

/** Reports whether both items are equal, or can be written as one with marks inside. */
const canStandFor = (one: Item, other: Item): boolean =>
  one.key === other.key ||
  (isDivisible(one.element) &&
    isDivisible(other.element) &&
    isFlow(one.element) === isFlow(other.element))

function indices(from: number, to: number): number[] {
  const found: number[] = []
  for (let at = from; at < to; at++) found.push(at)
  return found
}

const mayMove = ({ marking }: Siblings, { element, loose }: Item): boolean =>
  !loose && !placed.has(element.name) && wordsOf(marking.bags, element).size > 0

/** Finds the new blocks that are equal to former ones at another place of the container. */
function findMoved(siblings: Siblings): void {
  const { gone, come, partners, moved } = siblings
  if (!partners.includes(-1)) return
  const stayed = new Set(partners)
  const places = new Map<number, number[]>()

  for (const [at, item] of gone.entries()) {
    if (stayed.has(at) || item.loose) continue
    const known = places.get(item.key)
    if (known) known.push(at)
    else places.set(item.key, [at])
  }

  if (places.size === 0) return
  for (const list of places.values()) list.reverse()

  for (const [at, item] of come.entries()) {
    if (partners[at] !== -1) continue
    const list = places.get(item.key)
    if (!list || list.length === 0 || !mayMove(siblings, item)) continue
    moved.set(at, list.pop()!)
  }
}

/**
 * Writes the blocks between two that stayed: those that are like former ones as edited, the others
 * as added or removed.
 */
function* writeGap(
  siblings: Siblings,
  gone: readonly number[],
  come: readonly number[],
): Steps<void> {
  const fresh = come.filter(at => !siblings.moved.has(at))
  const pairs = yield* pairLike(
    siblings.marking.bags,
    gone.map(at => siblings.gone[at]!),
    fresh.map(at => siblings.come[at]!),
  )
  const ends: Pair[] = pairs.map(([g, c]) => [g, fresh[c]! - come[0]!])
  let [g, c] = [0, 0]

  for (const [one, other] of [...ends, [gone.length, come.length] as const]) {
    for (; g < one; g++) writeRemoved(siblings, siblings.gone[gone[g]!]!)
    for (; c < other; c++) writeNew(siblings, come[c]!)
    if (other === come.length) return
    yield* writePair(siblings, siblings.gone[gone[g++]!]!, siblings.come[come[c++]!]!)
  }
}

function writeRemoved({ marking, nodes }: Siblings, { element, key, loose }: Item): void {
  const removed = marked(formerNode(marking, element) as PageElement, 'removed')
  if (!loose && !placed.has(element.name)) marking.gone.push({ marked: removed, key, element })
  nodes.push(removed)
}

function writeNew({ marking, moved, gone, come, nodes }: Siblings, at: number): void {
  const { element, key, loose } = come[at]!
  const from = moved.get(at)
  const made = marked(element, from === undefined ? 'added' : 'moved')
  if (from !== undefined) marking.former.set(made, gone[from]!.element)
  else if (!loose && !placed.has(element.name)) marking.come.push({ marked: made, key, element })
  nodes.push(made)
}

/** Writes a block that both versions have. */
function* writePair({ marking, nodes }: Siblings, gone: Item, come: Item): Steps<void> {
  if (gone.key !== come.key) nodes.push(yield* markPair(marking, gone.element, come.element))
  else if (come.loose) for (const node of come.element.nodes) nodes.push(node)
  else nodes.push(come.element)
}

function* markPair(marking: Marking, before: PageElement, after: PageElement): Steps<PageElement> {
  const words = isSimple(before) && isSimple(after)
  let isEdited = before.name !== after.name || attributesKey(before) !== attributesKey(after)
  let nodes: PageNode[]

  if (words) {
    const grain = isVerbatim(after) ? 'lines' : 'words'
    const inside = yield* markWords(marking, before.nodes, after.nodes, grain)
    isEdited ||= inside.changed
    nodes = inside.nodes
  } else nodes = yield* markBlocks(marking, before, after)

  const made = elementOf(after.name, after.attributes, nodes)
  const result = isEdited ? marked(made, 'edited') : made
  if (isEdited) marking.former.set(result, before)
  marking.opened.add(result)

  return result
}
