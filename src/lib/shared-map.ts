import type { Steps } from './slices.ts'

const bits = 7
const size = 1 << bits

/**
 * An immutable map. `with` returns a copy with other values under some of its keys, sharing the
 * keys and all chunks of values without a change. Created by `sharedMapSteps`.
 */
export class SharedMap<Value> implements ReadonlyMap<string, Value> {
  /** The position of each key's value. */
  readonly slots: ReadonlyMap<string, number>
  /** The values in the order of the keys, in chunks of equal length. */
  readonly pieces: readonly (readonly Value[])[]

  constructor(slots: ReadonlyMap<string, number>, pieces: readonly (readonly Value[])[]) {
    this.slots = slots
    this.pieces = pieces
  }

  get size(): number {
    return this.slots.size
  }

  has(key: string): boolean {
    return this.slots.has(key)
  }

  get(key: string): Value | undefined {
    const slot = this.slots.get(key)
    return slot === undefined ? undefined : this.pieces[slot >> bits]![slot & (size - 1)]
  }

  /** Returns the same keys with other values; unknown keys are ignored. */
  with(changes: Iterable<readonly [string, Value]>): SharedMap<Value> {
    const pieces = [...this.pieces]
    const own = new Set<number>()
    for (const [key, value] of changes) {
      const slot = this.slots.get(key)
      if (slot === undefined) continue
      const at = slot >> bits
      const piece = own.has(at) ? (pieces[at] as Value[]) : [...pieces[at]!]
      own.add(at)
      piece[slot & (size - 1)] = value
      pieces[at] = piece
    }

    return new SharedMap(this.slots, pieces)
  }

  keys(): MapIterator<string> {
    return this.slots.keys()
  }

  *values(): MapIterator<Value> {
    for (const piece of this.pieces) yield* piece
  }

  *entries(): MapIterator<[string, Value]> {
    for (const [key, slot] of this.slots)
      yield [key, this.pieces[slot >> bits]![slot & (size - 1)]!]
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  forEach(each: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this) each(value, key, this)
  }
}

/**
 * Returns a map of these entries, in their order, in steps; for a repeated key the last entry wins,
 * as in a `Map`.
 */
export function* sharedMapSteps<Value>(
  entries: Iterable<readonly [string, Value]>,
): Steps<SharedMap<Value>> {
  const slots = new Map<string, number>()
  const pieces: Value[][] = []
  for (const [key, value] of entries) {
    const slot = slots.get(key) ?? slots.size
    slots.set(key, slot)
    const at = slot >> bits
    pieces[at] ??= []
    pieces[at][slot & (size - 1)] = value
    if (slot % 2048 === 0) yield
  }

  return new SharedMap(slots, pieces)
}
