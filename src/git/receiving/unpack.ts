import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import type { ObjectType } from '../process/cat-file.ts'
import { asOid, type Oid } from '../values/oid.ts'
import { applyDelta, readSize } from './apply-delta.ts'
import type { PackObject } from './plain-objects.ts'

/** Maximum bytes of the objects and deltas of a pack, inflated. */
const mostUnpacked = 4 * 1024 ** 2
/** Maximum objects of a pack, and maximum bytes of its deltas: each object and instruction takes some time of the event loop. */
const mostObjects = 500
const mostDeltaBytes = 64 * 1024
const headerBytes = 12
const trailerBytes = 20

/**
 * Returns the objects of a pack by id. Returns undefined for a pack that is broken, that has more than 500 objects or an object
 * twice, that lacks the base of a delta, or whose objects and deltas exceed 4 MiB, or its deltas alone 64 kB.
 */
export function unpack(pack: Buffer): Map<Oid, PackObject> | undefined {
  const end = pack.length - trailerBytes
  if (end < headerBytes || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2)
    return undefined
  if (!createHash('sha1').update(pack.subarray(0, end)).digest().equals(pack.subarray(end))) return undefined
  const count = pack.readUInt32BE(8)
  if (count > mostObjects) return undefined
  try {
    return new Unpacking(pack.subarray(0, end)).run(count)
  } catch {
    return undefined
  }
}

/** A delta whose base was not read yet. */
type Waiting = { offset: number; delta: Buffer }
/** An object that was read. */
type Done = { offset: number; object: PackObject }

class Unpacking {
  readonly #pack: Buffer
  readonly #found = new Map<Oid, PackObject>()
  readonly #byOffset = new Map<number, PackObject>()
  /** Deltas by the id or the offset of their base. */
  readonly #waiting = new Map<Oid | number, Waiting[]>()
  #left = mostUnpacked
  #deltasLeft = mostDeltaBytes

  constructor(pack: Buffer) {
    this.#pack = pack
  }

  /** Throws an Error for a pack that cannot be read. */
  run(count: number): Map<Oid, PackObject> {
    let at = headerBytes
    for (let n = 0; n < count; n++) {
      const entry = readEntry(this.#pack, at)
      const { content, end } = this.#inflate(entry)
      if (entry.type) this.#add({ offset: at, object: { type: entry.type, content } })
      else this.#wait(entry.base, { offset: at, delta: content })
      at = end
    }
    if (at !== this.#pack.length || this.#found.size !== count) throw new Error('The pack is incomplete.')
    return this.#found
  }

  #inflate({ type, start, size }: Entry): { content: Buffer; end: number } {
    this.#left -= size
    if (!type) this.#deltasLeft -= size
    if (this.#left < 0 || this.#deltasLeft < 0) throw new Error('The pack unfolds to too much.')
    // With `info`, Node returns the engine too, which tells how many bytes of its input it took.
    const { buffer, engine } = inflateSync(this.#pack.subarray(start), {
      maxOutputLength: Math.max(1, size),
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    if (buffer.length !== size) throw new Error('An entry has another size than it says.')
    return { content: buffer, end: start + engine.bytesWritten }
  }

  #wait(base: Oid | number, delta: Waiting): void {
    const known = typeof base === 'number' ? this.#byOffset.get(base) : this.#found.get(base)
    if (known) this.#add(this.#applied(known, delta))
    else this.#waiting.set(base, [...(this.#waiting.get(base) ?? []), delta])
  }

  /** Adds an object, and those whose base it is, in a loop: the chain may be too long for recursion. */
  #add(first: Done): void {
    const done = [first]
    for (const { offset, object } of done) {
      const oid = idOf(object)
      if (this.#found.has(oid)) throw new Error('The pack has an object twice.')
      this.#found.set(oid, object)
      this.#byOffset.set(offset, object)
      for (const key of [oid, offset]) {
        for (const delta of this.#waiting.get(key) ?? []) done.push(this.#applied(object, delta))
        this.#waiting.delete(key)
      }
    }
  }

  #applied({ type, content }: PackObject, { offset, delta }: Waiting): Done {
    const applied = applyDelta(content, delta, this.#left)
    if (!applied) throw new Error('A delta does not fit its base.')
    this.#left -= applied.length
    return { offset, object: { type, content: applied } }
  }
}

const idOf = ({ type, content }: PackObject): Oid =>
  asOid(createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex'))

/** An entry of a pack: a whole object, or a delta of the object with an id or at an offset. */
type Entry = { size: number; start: number } & (
  | { type: ObjectType; base?: undefined }
  | { type: undefined; base: Oid | number }
)

const types: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const offsetDelta = 6
const idDelta = 7

/** Throws an Error for a type that does not exist. */
function readEntry(pack: Buffer, offset: number): Entry {
  const first = pack[offset] ?? 0
  const kind = (first >> 4) & 7
  const more = first & 0x80 ? readSize(pack, offset + 1) : { size: 0, next: offset + 1 }
  const size = (first & 15) + 16 * more.size
  let at = more.next
  const type = types[kind]
  if (type) return { type, size, start: at }
  if (kind === idDelta)
    return { type: undefined, base: asOid(pack.toString('hex', at, at + 20)), size, start: at + 20 }
  if (kind !== offsetDelta) throw new Error('An entry has an unknown type.')
  let byte = pack[at++] ?? 0
  let distance = byte & 0x7f
  while (byte & 0x80) {
    byte = pack[at++] ?? 0
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  return { type: undefined, base: offset - distance, size, start: at }
}
