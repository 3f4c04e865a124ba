import { readFile } from 'node:fs/promises'
import { asOid, type Oid } from '../values/oid.ts'

/** The sorted ids of a pack's objects, 20 bytes each. */
export type PackIds = {
  readonly size: number
  has: (oid: Oid) => boolean
  all: () => Iterable<Oid>
}

export const noIds: PackIds = { size: 0, has: () => false, all: () => [] }

/** Reads the ids from the index of a pack, version 2: they follow 8 bytes of header and 256 counts. */
export async function readPackIds(packFile: string): Promise<PackIds> {
  const start = 8 + 256 * 4
  const bytes = await readFile(packFile.replace(/pack$/, 'idx'))
  const size = bytes.readUInt32BE(start - 4)
  // Copies, so that the rest of the index is not held.
  const ids = Buffer.from(bytes.subarray(start, start + size * 20))
  return {
    size,
    has: oid => search(ids, size, Buffer.from(oid, 'hex')),
    all: () => each(ids, size),
  }
}

function search(ids: Buffer, size: number, wanted: Buffer): boolean {
  let [from, to] = [0, size]
  while (from < to) {
    const middle = (from + to) >> 1
    const order = ids.compare(wanted, 0, 20, middle * 20, middle * 20 + 20)
    if (order === 0) return true
    if (order < 0) from = middle + 1
    else to = middle
  }
  return false
}

function* each(ids: Buffer, size: number): Generator<Oid> {
  for (let at = 0; at < size; at++) yield asOid(ids.toString('hex', at * 20, at * 20 + 20))
}
