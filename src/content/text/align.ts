import { diffArrays } from 'diff'
import type { Steps } from '../../lib/slices.ts'

/** With more differences than this, two lists are compared between their unique items only. */
const mostEdits = 300
/** How often a list is split at its unique items. */
const mostSplits = 2

/** An item of the former list and the one of the new list that it became, as indices. */
export type Pair = readonly [before: number, after: number]

/** What stands in both lists before a pair of items, and the pair; the last segment has none. */
export type Segment<Item> = {
  gone: readonly Item[]
  come: readonly Item[]
  pair: readonly [Item, Item] | undefined
}

/** Divides two lists at pairs of their items, which are in order. */
export function* segmentsOf<Item>(
  before: readonly Item[],
  after: readonly Item[],
  pairs: readonly Pair[],
): Generator<Segment<Item>> {
  let [from, start] = [0, 0]

  for (const [one, other] of pairs) {
    const pair = [before[one]!, after[other]!] as const
    yield { gone: before.slice(from, one), come: after.slice(start, other), pair }
    from = one + 1
    start = other + 1
  }

  yield { gone: before.slice(from), come: after.slice(start), pair: undefined }
}

type Range = { from: number; to: number; start: number; end: number }
type Aligning = { before: readonly number[]; after: readonly number[]; partners: Int32Array }

/**
 * Returns the pairs of equal items that stay in order: a longest common subsequence, and a shorter
 * one for lists that differ very much. The work is proportional to the number of items.
 */
export function* alignEqual(before: readonly number[], after: readonly number[]): Steps<Pair[]> {
  const partners = new Int32Array(after.length).fill(-1)
  const whole = { from: 0, to: before.length, start: 0, end: after.length }
  yield* alignRange({ before, after, partners }, whole, mostSplits)
  const pairs: Pair[] = []
  for (const [at, partner] of partners.entries()) if (partner !== -1) pairs.push([partner, at])
  return pairs
}

/** Aligns the equal items at both ends of a range and returns what is between them. */
function trimmed({ before, after, partners }: Aligning, range: Range): Range {
  let { from, to, start, end } = range
  while (from < to && start < end && before[from] === after[start]) partners[start++] = from++
  while (from < to && start < end && before[to - 1] === after[end - 1]) partners[--end] = --to
  return { from, to, start, end }
}

/** Returns the indices in a range of a list whose items are among others. */
function among(
  list: readonly number[],
  from: number,
  to: number,
  others: ReadonlySet<number>,
): number[] {
  const found: number[] = []
  for (let at = from; at < to; at++) if (others.has(list[at]!)) found.push(at)
  return found
}

function* alignRange(aligning: Aligning, range: Range, splits: number): Steps<void> {
  const { from, to, start, end } = trimmed(aligning, range)
  if (from === to || start === end) return
  const { before, after, partners } = aligning

  // Items that only one list has cannot be aligned.
  const left = among(before, from, to, new Set(after.slice(start, end)))
  const right = among(after, start, end, new Set(before.slice(from, to)))
  if (left.length === 0) return
  yield
  const parts = diffArrays(
    left.map(at => before[at]!),
    right.map(at => after[at]!),
    { maxEditLength: mostEdits },
  )

  if (!parts) {
    if (splits > 0) yield* splitAtUnique(aligning, { from, to, start, end }, splits)
    return
  }

  let l = 0
  let r = 0

  for (const { added, removed, count } of parts) {
    if (!added && !removed)
      for (let at = 0; at < count; at++) partners[right[r + at]!] = left[l + at]!
    if (!added) l += count
    if (!removed) r += count
  }
}

/**
 * Aligns the items that both lists have once, in the longest order that they have in common, and
 * then what is between.
 */
function* splitAtUnique(aligning: Aligning, range: Range, splits: number): Steps<void> {
  const anchors = longestRise(uniquePairs(aligning, range))
  let { from, start } = range
  if (anchors.length === 0) return

  for (const [one, other] of [...anchors, [range.to, range.end] as const]) {
    yield* alignRange(aligning, { from, to: one, start, end: other }, splits - 1)
    if (other < range.end) aligning.partners[other] = one
    from = one + 1
    start = other + 1
  }
}

/** Returns the indices of the items that both ranges have exactly once, in the order of `after`. */
function uniquePairs({ before, after }: Aligning, { from, to, start, end }: Range): Pair[] {
  const places = new Map<number, { before: number; after: number }>()
  for (let at = from; at < to; at++) {
    const known = places.get(before[at]!)
    places.set(before[at]!, { before: known ? -1 : at, after: -1 })
  }

  for (let at = start; at < end; at++) {
    const known = places.get(after[at]!)
    if (known) known.after = known.after === -1 ? at : -2
  }

  return [...places.values()]
    .filter(place => place.before >= 0 && place.after >= 0)
    .map(place => [place.before, place.after] as const)
    .sort((a, b) => a[1] - b[1])
}

/** Returns the longest subsequence in which the first indices rise. */
function longestRise(pairs: readonly Pair[]): Pair[] {
  const tops: number[] = []
  const previous: number[] = []
  for (const [at, [value]] of pairs.entries()) {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tops[middle]!]![0] < value) low = middle + 1
      else high = middle
    }

    previous[at] = low > 0 ? tops[low - 1]! : -1
    tops[low] = at
  }

  const found: Pair[] = []

  for (let at = tops.at(-1) ?? -1; at >= 0; at = previous[at]!) found.push(pairs[at]!)

  return found.reverse()
}
