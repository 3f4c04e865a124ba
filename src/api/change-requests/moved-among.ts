/**
 * Which of the same ids stand elsewhere in the second order: as few as can be, namely all but a longest run that kept
 * its order. Takes n log n steps.
 */
export function movedAmong(before: readonly string[], after: readonly string[]): string[] {
  const places = new Map(before.map((id, at) => [id, at]))
  const order = after.map(id => places.get(id) ?? -1)
  // ends[n]: where in `after` the best run of n + 1 ends; previous: what stands before it in its run.
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, place] of order.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (order[ends[middle]!]! < place) low = middle + 1
      else high = middle
    }
    previous[at] = low > 0 ? ends[low - 1]! : -1
    ends[low] = at
  }
  const kept = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) kept.add(at)
  return after.filter((_, at) => !kept.has(at))
}
