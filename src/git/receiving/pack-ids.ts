import { readFile } from 'node:fs/promises'
import { asOid, type Oid } from '../../lib/oid.ts'

/** The sorted ids of a pack's objects, 20 bytes each. */
export type PackIds = {
  readonly size: number
  has: (oid: Oid) => boolean
  /** Returns the place of an id among the others; -1 if the pack does not have it. */
  placeOf: (oid: Oid) => number
  all: () => Iterable<Oid>
}

export const noIds: PackIds = { size: 0, has: () => false, placeOf: () => -1, all: () => [] }

/**
 * Reads the ids from the index of a pack, version 2: they follow 8 bytes of header and 256 counts.
 */
export async function readPackIds(packFile: string): Promise<PackIds> {
  const start = 8 + 256 * 4
  const bytes = await readFile(packFile.replace(/pack$/, 'idx'))
  const size = bytes.readUInt32BE(start - 4)

  // Copies, so that the rest of the index is not held.
  const ids = Buffer.from(bytes.subarray(start, start + size * 20))
  const placeOf = (oid: Oid) => search(ids, size, Buffer.from(oid, 'hex'))

  return {
    size,
    has: oid => placeOf(oid) >= 0,
    placeOf,
    all: () => each(ids, size),
  }
}

/** Counts the objects of a pack that a walk comes to, each once. */
export class Reached {
  readonly #pack: PackIds
  readonly #places: Buffer
  size = 0

  constructor(pack: PackIds) {
    this.#pack = pack
    this.#places = Buffer.alloc(Math.ceil(pack.size / 8))
  }

  /** Returns whether the pack has the object. */
  add(oid: Oid): boolean {
    const place = this.#pack.placeOf(oid)
    if (place < 0) return false
    const [byte, bit] = [place >> 3, 1 << (place & 7)]
    if (!(this.#places[byte]! & bit)) this.size++
    this.#places[byte]! |= bit
    return true
  }

  get isAll(): boolean {
    return this.size === this.#pack.size
  }
}

function search(ids: Buffer, size: number, wanted: Buffer): number {
  let [from, to] = [0, size]
  while (from < to) {
    const middle = (from + to) >> 1
    const order = ids.compare(wanted, 0, 20, middle * 20, middle * 20 + 20)
    if (order === 0) return middle
    if (order < 0) from = middle + 1
    else to = middle
  }

  return -1
}

function* each(ids: Buffer, size: number): Generator<Oid> {
  for (let at = 0; at < size; at++) yield asOid(ids.toString('hex', at * 20, at * 20 + 20))
}
