/** How many items around an open one are shown, and how many others are folded at least. */
const around = 1
const leastFolded = 3

export type Run<Item> = { items: readonly Item[]; isFolded: boolean }

/**
 * Returns items in runs: long runs without an open one are folded, but for those next to one. Where
 * none is open, nothing is folded.
 */
export function runsOf<Item>(items: readonly Item[], isOpen: (item: Item) => boolean): Run<Item>[] {
  const near = new Set(
    items.flatMap((item, at) =>
      isOpen(item) ? Array.from({ length: 2 * around + 1 }, (_, step) => at - around + step) : [],
    ),
  )
  const runs: { items: Item[]; isFolded: boolean }[] = []

  for (const [at, item] of items.entries()) {
    const isFolded = !near.has(at)
    const last = runs.at(-1)
    if (last?.isFolded === isFolded) last.items.push(item)
    else runs.push({ items: [item], isFolded })
  }

  return runs.map(run => ({
    ...run,
    isFolded: run.isFolded && near.size > 0 && run.items.length >= leastFolded,
  }))
}
