import { asOid, type Oid, parseOid } from '../values/oid.ts'

const idBytes = 20
/** How many ids share the first bits of their bytes, on average. */
const perBucket = 16

/** A set of object ids: 20 bytes each, in buckets by their first bits. */
export class ObjectIds {
  readonly #ids: Buffer
  /** Where each bucket begins, in ids; one more entry for the end. */
  readonly #starts: Uint32Array
  readonly #bits: number

  /** `ids` holds 20 bytes for each id, in any order. */
  constructor(ids: Buffer) {
    const count = ids.length / idBytes
    this.#bits = Math.min(16, Math.max(0, Math.floor(Math.log2(count / perBucket))))
    const ends = new Uint32Array(2 ** this.#bits + 1)
    for (let at = 0; at < ids.length; at += idBytes) ends[this.#bucket(ids, at) + 1]!++
    for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!
    this.#starts = ends.slice()
    this.#ids = Buffer.allocUnsafeSlow(ids.length)
    for (let at = 0; at < ids.length; at += idBytes)
      ids.copy(this.#ids, ends[this.#bucket(ids, at)]!++ * idBytes, at, at + idBytes)
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

  /** Returns the place in the set of the id whose bytes are at `at`, from 0 to `size` - 1; -1 if it is not in the set. */
  find(bytes: Buffer, at: number): number {
    const bucket = this.#bucket(bytes, at)
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
  with(more: Buffer): ObjectIds {
    const fresh: Buffer[] = []
    for (let at = 0; at < more.length; at += idBytes)
      if (this.find(more, at) === -1) fresh.push(more.subarray(at, at + idBytes))
    return fresh.length === 0 ? this : new ObjectIds(Buffer.concat([this.#ids, ...fresh]))
  }

  #bucket(ids: Buffer, at: number): number {
    return ids.readUInt16BE(at) >>> (16 - this.#bits)
  }
}

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
