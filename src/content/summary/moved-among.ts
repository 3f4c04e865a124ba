/**
 * Returns the smallest set of ids that explains the second order: all but a longest increasing
 * subsequence. Takes n log n steps.
 */
export function movedAmong(before: readonly string[], after: readonly string[]): string[] {
  const places = new Map(before.map((id, at) => [id, at]))
  const order = after.map(id => places.get(id) ?? -1)

  // ends[n]: the index in `after` where the best run of length n + 1 ends; previous: the
  // predecessor of each index in its run.
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
