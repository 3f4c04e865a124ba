import type { Steps } from '../../lib/slices.ts'
import { alignEqual, type Pair, type Segment, segmentsOf } from '../text/align.ts'
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
import { pairLike } from './pairs.ts'
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

/** The blocks of a container as they are written. */
type Writing = {
  marking: Marking
  /** The new blocks that stood elsewhere in the container, with the former ones. */
  moved: ReadonlyMap<Item, Item>
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
  const pairs = isPlaced ? samePlaces(gone, come) : yield* alignEqual(keysOf(gone), keysOf(come))
  const segments = [...segmentsOf(gone, come, pairs)]
  const moved = isPlaced ? new Map<Item, Item>() : findMoved(marking, segments)
  const writing: Writing = { marking, moved, nodes: [] }
  const left = new Set(moved.values())

  for (const [at, { pair, ...gap }] of segments.entries()) {
    if (at % 64 === 63) yield
    const removed = left.size === 0 ? gap.gone : gap.gone.filter(item => !left.has(item))
    if (removed.length + gap.come.length > 0) yield* writeGap(writing, removed, gap.come)
    if (pair) yield* writePair(writing, ...pair)
  }

  return writing.nodes
}

const keysOf = (items: readonly Item[]): number[] => items.map(({ key }) => key)

/** Pairs the items at the same places that are equal, or can be written as one with marks inside. */
const samePlaces = (gone: readonly Item[], come: readonly Item[]): Pair[] =>
  come.flatMap((item, at) => (canStandFor(gone[at]!, item) ? [[at, at] as const] : []))

const canStandFor = (one: Item, other: Item): boolean =>
  one.key === other.key ||
  (isDivisible(one.element) &&
    isDivisible(other.element) &&
    isFlow(one.element) === isFlow(other.element))

/** Returns the new blocks that are equal to former ones at another place of the container. */
function findMoved({ bags }: Marking, segments: readonly Segment<Item>[]): Map<Item, Item> {
  const moved = new Map<Item, Item>()
  const places = new Map<number, Item[]>()

  for (const item of segments.flatMap(({ gone }) => gone)) {
    if (item.loose) continue
    const known = places.get(item.key)
    if (known) known.push(item)
    else places.set(item.key, [item])
  }

  if (places.size === 0) return moved
  for (const list of places.values()) list.reverse()

  for (const item of segments.flatMap(({ come }) => come)) {
    const list = places.get(item.key)
    if (!list || item.loose || placed.has(item.element.name)) continue
    if (wordsOf(bags, item.element).size === 0) continue
    const former = list.pop()
    if (former) moved.set(item, former)
  }

  return moved
}

/**
 * Writes the blocks between two that stayed: those that are like former ones as edited, the others
 * as added or removed.
 */
function* writeGap(writing: Writing, gone: readonly Item[], come: readonly Item[]): Steps<void> {
  const pairs = yield* pairFresh(writing, gone, come)

  for (const segment of segmentsOf(gone, come, pairs)) {
    for (const item of segment.gone) writeRemoved(writing, item)
    for (const item of segment.come) writeNew(writing, item)
    if (segment.pair) yield* writePair(writing, ...segment.pair)
  }
}

/** Pairs former blocks with the new ones that are like them, except those that moved. */
function* pairFresh(
  { marking, moved }: Writing,
  gone: readonly Item[],
  come: readonly Item[],
): Steps<Pair[]> {
  const fresh = [...come.entries()].filter(([, item]) => !moved.has(item))
  const items = fresh.map(([, item]) => item)
  const pairs = yield* pairLike(marking.bags, gone, items)
  return pairs.map(([g, c]) => [g, fresh[c]![0]])
}

function writeRemoved({ marking, nodes }: Writing, { element, key, loose }: Item): void {
  const removed = marked(formerNode(marking, element) as PageElement, 'removed')
  if (!loose && !placed.has(element.name)) marking.gone.push({ marked: removed, key, element })
  nodes.push(removed)
}

function writeNew({ marking, moved, nodes }: Writing, item: Item): void {
  const { element, key, loose } = item
  const former = moved.get(item)
  const made = marked(element, former ? 'moved' : 'added')
  if (former) marking.former.set(made, former.element)
  else if (!loose && !placed.has(element.name)) marking.come.push({ marked: made, key, element })
  nodes.push(made)
}

/** Writes a block that both versions have. */
function* writePair({ marking, nodes }: Writing, gone: Item, come: Item): Steps<void> {
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
