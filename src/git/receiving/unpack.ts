import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { asOid, type Oid } from '../../lib/oid.ts'
import { type EntryHeader, idDelta, readEntryHeader, wholeTypes } from '../objects/entry-header.ts'
import type { PackObject } from './plain-objects.ts'

/** Maximum bytes of the objects and deltas of a pack, inflated. */
const mostUnpacked = 4 * 1024 ** 2
/**
 * Maximum objects of a pack, and maximum bytes of its deltas: each object and instruction takes
 * some time of the event loop.
 */
const mostObjects = 500
const mostDeltaBytes = 64 * 1024
const headerBytes = 12
const trailerBytes = 20

/**
 * Returns the objects of a pack by id. Returns undefined for a pack that is broken, that has more
 * than 500 objects or an object twice, that lacks the base of a delta, or whose objects and deltas
 * exceed 4 MiB, or its deltas alone 64 kB.
 */
export function unpack(pack: Buffer): Map<Oid, PackObject> | undefined {
  const end = pack.length - trailerBytes
  if (end < headerBytes || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2)
    return undefined
  if (!createHash('sha1').update(pack.subarray(0, end)).digest().equals(pack.subarray(end)))
    return undefined

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
      const header = readEntryHeader(this.#pack, at, this.#pack.length - at)
      if (!header) throw new Error('An entry has an invalid header.')
      const { content, end } = this.#inflate(header, at + header.contentStart)
      const type = wholeTypes[header.type]
      if (type) this.#add({ offset: at, object: { type, content } })
      else this.#wait(this.#baseOf(header, at), { offset: at, delta: content })
      at = end
    }

    if (at !== this.#pack.length || this.#found.size !== count)
      throw new Error('The pack is incomplete.')

    return this.#found
  }

  /** Returns the offset or the id of the base of a delta. */
  #baseOf({ type, sizeEnd, distance }: EntryHeader, at: number): Oid | number {
    const idStart = at + sizeEnd
    return type === idDelta
      ? asOid(this.#pack.toString('hex', idStart, idStart + 20))
      : at - distance
  }

  #inflate({ type, size }: EntryHeader, start: number): { content: Buffer; end: number } {
    this.#left -= size
    if (!wholeTypes[type]) this.#deltasLeft -= size
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

  /**
   * Adds an object, and those whose base it is, in a loop: the chain may be too long for recursion.
   */
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

/**
 * Applies a delta of a pack to its base and returns the content. Returns undefined if the delta
 * does not fit the base or the content would exceed `mostBytes`. Format, see gitformat-pack: the
 * sizes of base and result, then copy and insert instructions.
 */
export function applyDelta(base: Buffer, delta: Buffer, mostBytes: number): Buffer | undefined {
  const from = readSize(delta, 0)
  const to = readSize(delta, from.next)
  if (from.size !== base.length || to.size > mostBytes) return undefined

  const result = Buffer.alloc(to.size)
  let filled = 0

  for (let at = to.next; at < delta.length; ) {
    const instruction = delta[at++]!
    if (instruction & 0x80) {
      const { start, length, next } = readCopy(delta, at, instruction)
      if (base.copy(result, filled, start, start + length) !== length) return undefined
      filled += length
      at = next
    } else {
      if (instruction === 0) return undefined
      if (delta.copy(result, filled, at, at + instruction) !== instruction) return undefined
      filled += instruction
      at += instruction
    }
  }

  return filled === to.size ? result : undefined
}

/** Longer numbers would not be exact. */
const mostSizeBytes = 7

/**
 * Reads a number in groups of seven bits, the lowest first. Returns it with the place of the next
 * byte; Infinity for a number of more than seven bytes.
 */
function readSize(bytes: Buffer, start: number): { size: number; next: number } {
  let size = 0
  let next = start
  for (let unit = 1; ; unit *= 128) {
    const byte = bytes[next++] ?? 0
    size += (byte & 0x7f) * unit
    if (byte < 0x80) return { size, next }
    if (next - start === mostSizeBytes) return { size: Number.POSITIVE_INFINITY, next }
  }
}

/**
 * Reads where a copy starts and how long it is: the bits of the instruction tell which bytes of the
 * numbers follow.
 */
function readCopy(delta: Buffer, from: number, instruction: number) {
  let [start, length, next] = [0, 0, from]
  for (let i = 0; i < 4; i++) if (instruction & (1 << i)) start += delta[next++]! * 256 ** i
  for (let i = 0; i < 3; i++) if (instruction & (1 << (4 + i))) length += delta[next++]! * 256 ** i
  return { start, length: length === 0 ? 0x10000 : length, next }
}
