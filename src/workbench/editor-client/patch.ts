/** Returns how many nodes at both ends of two lists are the same. */
export function sameEnds(
  before: readonly string[],
  after: readonly string[],
): { head: number; tail: number } {
  const shortest = Math.min(before.length, after.length)
  let head = 0
  while (head < shortest && before[head] === after[head]) head++
  let tail = 0
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { head, tail }
}

/**
 * Returns the offset in one list of heights that corresponds to an offset in another. Both lists
 * have the places of the same things, in order; between them, offsets are in proportion.
 */
export function inStep(at: number, from: readonly number[], to: readonly number[]): number {
  const last = Math.min(from.length, to.length) - 1
  if (last < 1) return 0
  let next = from.findIndex(each => each > at)
  if (next === -1 || next > last) next = last
  if (next === 0) next = 1
  const [start, end] = [from[next - 1]!, from[next]!]
  const part = end > start ? (at - start) / (end - start) : 0
  return to[next - 1]! + Math.min(1, Math.max(0, part)) * (to[next]! - to[next - 1]!)
}
