/** A seeded random generator: the same seed gives the same sequence. */
export type Random = {
  /** A whole number from 0 to below `n`. */
  below: (n: number) => number
  chance: (probability: number) => boolean
  pick: <Item>(items: readonly Item[]) => Item
}

/** Returns the generator of a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)

  return {
    below,
    chance: probability => next() < probability,
    pick: items => items[below(items.length)]!,
  }
}
