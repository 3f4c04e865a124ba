/** The owner of counted bytes, and the group whose share they count against. */
type Holder = { readonly group: string | undefined }

/** Bytes that several answers send, counted once for the group of the first. */
type Body = { users: number; group: string | undefined; length: number }

/** Counts bytes in all and by group. Those of a buffer that several answers share count once. */
export class UnsentBudget {
  readonly #most: number
  readonly #share: number
  readonly #own = new Map<Holder, number>()
  readonly #bodyOf = new Map<Holder, Buffer>()
  readonly #bodies = new Map<Buffer, Body>()
  readonly #groups = new Map<string, number>()
  #held = 0

  constructor({ most, share }: { most: number; share: number }) {
    this.#most = most
    this.#share = share
  }

  get held(): number {
    return this.#held
  }

  /**
   * Returns whether so many more bytes exceed the share of a group; never for the only bytes of a
   * group.
   */
  exceedsShare(group: string | undefined, bytes: number): boolean {
    const held = group === undefined ? 0 : (this.#groups.get(group) ?? 0)
    return held > 0 && held + bytes > this.#share
  }

  /** Returns whether so many more bytes of a group fit. */
  fits(group: string | undefined, bytes: number): boolean {
    return this.#held + bytes <= this.#most && !this.exceedsShare(group, bytes)
  }

  /** Sets the number of bytes that a holder has to itself. */
  count(holder: Holder, bytes: number): void {
    this.#add(holder.group, bytes - (this.#own.get(holder) ?? 0))
    this.#own.set(holder, bytes)
  }

  /** Counts a buffer that other holders may have too. */
  shareBody(holder: Holder, buffer: Buffer): void {
    const body = this.#bodies.get(buffer) ?? {
      users: 0,
      group: holder.group,
      length: buffer.length,
    }

    if (body.users++ === 0) {
      this.#bodies.set(buffer, body)
      this.#add(body.group, body.length)
    }

    this.#bodyOf.set(holder, buffer)
  }

  /** Returns whether a holder has a buffer of `shareBody`. */
  sharesBody(holder: Holder): boolean {
    return this.#bodyOf.has(holder)
  }

  /** Releases all bytes of a holder. */
  release(holder: Holder): void {
    this.#add(holder.group, -(this.#own.get(holder) ?? 0))
    this.#own.delete(holder)
    const buffer = this.#bodyOf.get(holder)
    const body = buffer && this.#bodies.get(buffer)
    if (!body) return
    this.#bodyOf.delete(holder)
    if (--body.users > 0) return
    this.#bodies.delete(buffer)
    this.#add(body.group, -body.length)
  }

  #add(group: string | undefined, bytes: number): void {
    this.#held += bytes
    if (group === undefined) return
    const held = (this.#groups.get(group) ?? 0) + bytes
    if (held > 0) this.#groups.set(group, held)
    else this.#groups.delete(group)
  }
}
