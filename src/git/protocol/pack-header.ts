/** The start of a pack of version 2. No packet before it has these bytes. */
const start = Buffer.from('PACK\0\0\0\x02')
const headerBytes = start.length + 4

/** Finds the number of objects of the pack in an answer, whose bytes come in parts. */
export class PackHeader {
  #seen: Buffer | undefined = Buffer.alloc(0)
  /** The number, once the header was seen. */
  objects: number | undefined

  /** Looks at the next bytes of the answer. */
  add(chunk: Buffer): void {
    if (!this.#seen) return
    const bytes = this.#seen.length === 0 ? chunk : Buffer.concat([this.#seen, chunk])
    const at = bytes.indexOf(start)

    if (at !== -1 && at + headerBytes <= bytes.length) {
      this.objects = bytes.readUInt32BE(at + start.length)
      this.#seen = undefined
      return
    }

    // A copy: the rest of the chunk is not held.
    this.#seen = Buffer.from(
      bytes.subarray(at === -1 ? Math.max(0, bytes.length - start.length) : at),
    )
  }
}
