import { asOid, type Oid, parseOid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'

const idBytes = 20
/** How many ids share the first bits of their bytes, on average. */
const perBucket = 16
/** Bytes of ids after which a loop may pause. */
const idsPerPause = idBytes * 1000

/** A set of object ids: 20 bytes each, in buckets by their first bits. */
export class ObjectIds {
  readonly #ids: Buffer
  /** Where each bucket begins, in ids; one more entry for the end. */
  readonly #starts: Uint32Array
  readonly #bits: number

  private constructor(ids: Buffer, starts: Uint32Array) {
    this.#ids = ids
    this.#starts = starts
    this.#bits = Math.log2(starts.length - 1)
  }

  /** Returns the set of these ids: 20 bytes for each one, in any order. */
  static async of(ids: Buffer): Promise<ObjectIds> {
    const pause = pauses()
    const bits = Math.min(16, Math.max(0, Math.floor(Math.log2(ids.length / idBytes / perBucket))))
    const ends = new Uint32Array(2 ** bits + 1)

    for (let at = 0; at < ids.length; at += idBytes) {
      ends[bucketOf(ids, at, bits) + 1]!++
      if (at % idsPerPause === 0) await pause()
    }

    for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!
    const starts = ends.slice()
    const sorted = Buffer.allocUnsafeSlow(ids.length)

    for (let at = 0; at < ids.length; at += idBytes) {
      ids.copy(sorted, ends[bucketOf(ids, at, bits)]!++ * idBytes, at, at + idBytes)
      if (at % idsPerPause === 0) await pause()
    }

    return new ObjectIds(sorted, starts)
  }

  /** The number of ids. */
  get size(): number {
    return this.#ids.length / idBytes
  }

  /** The bytes of memory that the set takes. */
  get bytes(): number {
    return this.#ids.length + this.#starts.byteLength
  }

  has(oid: Oid): boolean {
    return this.find(Buffer.from(oid, 'hex'), 0) !== -1
  }

  /**
   * Returns the place in the set of the id whose bytes are at `at`, from 0 to `size` - 1; -1 if it
   * is not in the set.
   */
  find(bytes: Buffer, at: number): number {
    const bucket = bucketOf(bytes, at, this.#bits)
    // Compares four bytes first: a call of `compare` takes several times as long.
    const part = bytes.readInt32LE(at + 4)
    for (let i = this.#starts[bucket]!; i < this.#starts[bucket + 1]!; i++) {
      const own = i * idBytes
      if (this.#ids.readInt32LE(own + 4) !== part) continue
      if (this.#ids.compare(bytes, at, at + idBytes, own, own + idBytes) === 0) return i
    }

    return -1
  }

  /** Returns the id at a place. */
  at(place: number): Oid {
    return asOid(this.#ids.toString('hex', place * idBytes, (place + 1) * idBytes))
  }

  /** Returns a set with further ids. A walk of what is new may list some that are in the set. */
  async with(more: Buffer): Promise<ObjectIds> {
    const pause = pauses()
    const all = Buffer.allocUnsafeSlow(this.#ids.length + more.length)
    let used = this.#ids.copy(all)
    for (let at = 0; at < more.length; at += idBytes) {
      if (this.find(more, at) === -1) used += more.copy(all, used, at, at + idBytes)
      if (at % idsPerPause === 0) await pause()
    }
    return used === this.#ids.length ? this : ObjectIds.of(all.subarray(0, used))
  }
}

const bucketOf = (ids: Buffer, at: number, bits: number): number =>
  ids.readUInt16BE(at) >>> (16 - bits)

/** Returns the ids at the beginning of the lines of a walk, 20 bytes each. */
export async function idsOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  let ids = Buffer.allocUnsafeSlow(4096 * idBytes)
  let used = 0
  let rest = ''

  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''

    for (const line of lines) {
      const oid = parseOid(line.slice(0, 40))
      if (!oid) continue
      if (used === ids.length) {
        const larger = Buffer.allocUnsafeSlow(ids.length * 2)
        ids.copy(larger)
        ids = larger
      }
      used += ids.write(oid, used, 'hex')
    }
  }

  return ids.subarray(0, used)
}
