/** The wanted fields of an object; of each either all (undefined), or some of its own. */
type Wanted = ReadonlyMap<string, Fields | undefined>

/**
 * The fields of a value that a caller wants. A list is taken item by item, and a tree entry by entry:
 * `again` names the list in which entries contain entries of their kind.
 */
export class Fields {
  readonly #wanted: Wanted
  readonly #again: string | undefined

  constructor(wanted: Wanted, again?: string) {
    this.#wanted = wanted
    this.#again = again
  }

  /** Returns whether any part of a field is wanted. */
  has(name: string): boolean {
    return name === this.#again || this.#wanted.has(name)
  }

  /** Returns the wanted fields of a field; undefined for all of them. */
  of(name: string): Fields | undefined {
    return name === this.#again ? this : this.#wanted.get(name)
  }

  /** Returns the wanted part of a value. */
  pick(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.pick(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => this.has(name))
        .map(([name, inner]) => [name, pick(this.of(name), inner)]),
    )
  }

  /** A text that is the same for the same fields. */
  get key(): string {
    const sorted = [...this.#wanted].sort(([one], [other]) => (one < other ? -1 : 1))
    return sorted
      .map(([name, inner]) => JSON.stringify(name) + (inner ? `(${inner.key})` : ''))
      .join(',')
  }
}

/** Returns the wanted part of a value; all of it without fields. */
export const pick = (fields: Fields | undefined, value: unknown): unknown =>
  fields ? fields.pick(value) : value
