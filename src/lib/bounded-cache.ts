/**
 * A least-recently-used cache bounded by the total weight of its values (e.g. bytes) rather than
 * their number.
 */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; weight: number }>()
  readonly #limit: number
  readonly #onDrop: ((value: Value) => void) | undefined
  #weight = 0

  constructor(limit: number, onDrop?: (value: Value) => void) {
    this.#limit = limit
    this.#onDrop = onDrop
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /**
   * Stores the value and evicts the least recently used ones until the rest fits. A value over the
   * limit is not stored.
   */
  set(key: Key, value: Value, weight: number): void {
    this.delete(key)
    if (weight > this.#limit) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight

    while (this.#weight > this.#limit) {
      const oldest = this.#entries.keys().next()
      if (oldest.done) return
      this.delete(oldest.value)
    }
  }

  /** Changes the weight of a value, if the key still has it. */
  reweigh(key: Key, value: Value, weight: number): void {
    if (this.#entries.get(key)?.value === value) this.set(key, value, weight)
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    this.#onDrop?.(entry.value)
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key)
  }

  /** The maximum total weight of the values. */
  get limit(): number {
    return this.#limit
  }

  get weight(): number {
    return this.#weight
  }

  get size(): number {
    return this.#entries.size
  }
}
