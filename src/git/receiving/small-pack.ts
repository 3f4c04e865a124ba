import { readFile } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import type { ObjectAnswer, ObjectReader, ObjectType } from '../process/cat-file.ts'
import type { Repository } from '../process/processes.ts'
import { asOid, type Oid } from '../values/oid.ts'
import { applyDelta, readSize } from './apply-delta.ts'
import type { PackIds } from './pack-ids.ts'
import type { Quarantine } from './quarantine.ts'

/** Maximum bytes of a pack that is read into memory: as sent, and inflated. */
const mostBytes = 256 * 1024
const mostUnpacked = 4 * 1024 ** 2
const trailerBytes = 20

/** Returns whether a pack of so many bytes is a candidate for `readInMemory`, which also looks at its objects. */
export const isSmallPack = (bytes: number): boolean => bytes <= mostBytes

/**
 * Reads the objects of a small pack into memory and makes the quarantine read them from there; other objects are read by the
 * process of the target repository. Starting a process takes longer than checking a few objects. Does nothing if `unpack`
 * returns undefined. The pack must have passed `git index-pack`.
 */
export async function readInMemory({ repo, target, packFile }: Quarantine, ids: PackIds): Promise<void> {
  const objects = unpack(await readFile(packFile), [...ids.offsets()])
  if (objects) repo.processes.readFrom(repo.dir, new MemoryReader(objects, target))
}

type Unpacked = { type: ObjectType; content: Buffer }

class MemoryReader implements ObjectReader {
  readonly pending = 0
  readonly #objects: ReadonlyMap<Oid, Unpacked>
  readonly #target: Repository

  constructor(objects: ReadonlyMap<Oid, Unpacked>, target: Repository) {
    this.#objects = objects
    this.#target = target
  }

  async ask(oid: Oid, maxBytes: number): Promise<ObjectAnswer | undefined> {
    const found = this.#objects.get(oid)
    if (!found) return this.#target.processes.catFile(this.#target.dir).ask(oid, maxBytes)
    const { type, content } = found
    return { oid, type, size: content.length, ...(content.length <= maxBytes && { content }) }
  }

  endIfStuck(): void {}
  close(): void {}
}

type Offsets = Iterable<readonly [oid: Oid, offset: number]>

/**
 * Returns the objects of a pack by id. Returns undefined if they exceed 4 MiB in total, deltas included, or if the base of a
 * delta is not in the pack.
 */
export function unpack(pack: Buffer, offsets: Offsets): Map<Oid, Unpacked> | undefined {
  const all = [...offsets]
  const unpacking = new Unpacking(pack, all)
  const found = new Map<Oid, Unpacked>()
  for (const [oid, offset] of all) {
    const object = unpacking.read(offset)
    if (!object) return undefined
    found.set(oid, object)
  }
  return found
}

class Unpacking {
  readonly #pack: Buffer
  readonly #byId: ReadonlyMap<Oid, number>
  /** Where the entry ends that begins at an offset. */
  readonly #ends = new Map<number, number>()
  readonly #done = new Map<number, Unpacked>()
  #left = mostUnpacked

  constructor(pack: Buffer, offsets: readonly (readonly [Oid, number])[]) {
    this.#pack = pack
    this.#byId = new Map(offsets)
    let end = pack.length - trailerBytes
    for (const offset of offsets.map(([, at]) => at).sort((a, b) => b - a)) {
      this.#ends.set(offset, end)
      end = offset
    }
  }

  /** Returns the object at an offset. Follows the chain of deltas in a loop, because it may be too long for recursion. */
  read(offset: number): Unpacked | undefined {
    const deltas: { at: number; delta: Buffer }[] = []
    let at = offset
    let object = this.#done.get(at)
    while (!object) {
      const { type, base, ...place } = readEntry(this.#pack, at)
      const content = this.#inflate(place, this.#ends.get(at))
      if (!content) return undefined
      if (type) object = this.#keep(at, { type, content })
      else {
        deltas.push({ at, delta: content })
        const next = typeof base === 'string' ? this.#byId.get(base) : base
        if (next === undefined) return undefined
        at = next
        object = this.#done.get(at)
      }
    }
    for (const { at, delta } of deltas.reverse()) {
      const content = applyDelta(object.content, delta, this.#left)
      if (!content) return undefined
      this.#left -= content.length
      object = this.#keep(at, { type: object.type, content })
    }
    return object
  }

  #keep(at: number, object: Unpacked): Unpacked {
    this.#done.set(at, object)
    return object
  }

  #inflate({ start, size }: Pick<Entry, 'start' | 'size'>, end: number | undefined): Buffer | undefined {
    this.#left -= size
    if (this.#left < 0) return undefined
    return inflateSync(this.#pack.subarray(start, end), { maxOutputLength: Math.max(1, size) })
  }
}

/** An entry of a pack: a whole object, or a delta of the object with an id or at an offset. */
type Entry = { type: ObjectType | undefined; base: Oid | number | undefined; size: number; start: number }

const types: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const offsetDelta = 6
const idDelta = 7

function readEntry(pack: Buffer, offset: number): Entry {
  const first = pack[offset]!
  const kind = (first >> 4) & 7
  const more = first & 0x80 ? readSize(pack, offset + 1) : { size: 0, next: offset + 1 }
  const size = (first & 15) + 16 * more.size
  let at = more.next
  if (kind === idDelta) {
    const base = asOid(pack.toString('hex', at, at + 20))
    return { type: undefined, base, size, start: at + 20 }
  }
  if (kind !== offsetDelta) return { type: types[kind], base: undefined, size, start: at }
  let byte = pack[at++]!
  let distance = byte & 0x7f
  while (byte & 0x80) {
    byte = pack[at++]!
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  return { type: undefined, base: offset - distance, size, start: at }
}
