import type { ObjectIds } from './object-ids.ts'

/** The start of an index of version 2. Version 1 has none. */
const magic = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
const idsStart = magic.length + 256 * 4
const idBytes = 20
/** The bytes of an entry: its id, its checksum and its offset. */
const entryBytes = idBytes + 4 + 4
/** The checksums of the pack and of the index. */
const trailerBytes = 40
/** The bytes before the first entry of a pack. */
const packHeaderBytes = 12
/** Sorting a larger pack would block the event loop for too long. */
const mostEntries = 100_000
/** A number above every place in an index. */
const beyondPlaces = 2 ** 17

/** Where the entries of a pack are, in the order of the pack. */
export type PackIndex = {
  /** The offsets of the entries, and where the last one ends. */
  readonly offsets: Uint32Array
  /** The places of their ids in a set; -1 for objects outside the set. */
  readonly places: Int32Array
  /** Whether every object of the pack is in the set. */
  readonly isWithin: boolean
}

/** Returns the file of a pack's index. */
export const indexFile = (packFile: string): string => packFile.replace(/pack$/, 'idx')

/**
 * Parses the index of a pack. `ids` are the objects to be found. Returns undefined for an index of
 * version 1, of a pack of 2 GiB or more, of more than 100,000 objects, or that does not fit the
 * pack.
 */
export async function parsePackIndex(
  index: Buffer,
  pack: { bytes: number; checksum: Buffer },
  { ids, pause }: { ids: ObjectIds; pause: () => Promise<void> | undefined },
): Promise<PackIndex | undefined> {
  if (index.length < idsStart || index.compare(magic, 0, magic.length, 0, magic.length) !== 0)
    return undefined
  const count = index.readUInt32BE(idsStart - 4)

  // An index of a pack of 2 GiB or more has another table after the offsets.
  if (count > mostEntries || index.length !== idsStart + count * entryBytes + trailerBytes)
    return undefined
  if (!index.subarray(-trailerBytes, -trailerBytes / 2).equals(pack.checksum)) return undefined

  const end = pack.bytes - pack.checksum.length

  // Offset and place as one number: a typed array sorts numbers ten times as fast as a function
  // compares pairs.
  const keys = new Float64Array(count)

  for (let at = idsStart + count * (idBytes + 4), i = 0; i < count; i++, at += 4)
    keys[i] = index.readUInt32BE(at) * beyondPlaces + i
  keys.sort()
  const offsets = new Uint32Array(count + 1)
  const places = new Int32Array(count)
  let isWithin = true

  for (let i = 0; i < count; i++) {
    const key = keys[i]!
    offsets[i] = Math.floor(key / beyondPlaces)
    places[i] = ids.find(index, idsStart + (key % beyondPlaces) * idBytes)
    if (places[i] === -1) isWithin = false
    if (i % 1000 === 0) await pause()
  }

  offsets[count] = end
  const fits = count === 0 || (offsets[0]! >= packHeaderBytes && offsets[count - 1]! < end)

  return fits ? { offsets, places, isWithin } : undefined
}

/**
 * Returns the place of an offset among the sorted ones of an index; -1 if no entry begins there.
 */
export function entryStarting({ offsets }: PackIndex, offset: number): number {
  let [from, to] = [0, offsets.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if (offsets[middle]! < offset) from = middle + 1
    else to = middle
  }
  return from < offsets.length - 1 && offsets[from] === offset ? from : -1
}
