import type { ObjectType } from '../process/cat-file.ts'

/** The types of entries that are whole objects, by their numbers. */
export const wholeTypes: readonly (ObjectType | undefined)[] = [
  undefined,
  'commit',
  'tree',
  'blob',
  'tag',
]
/**
 * The types of entries that are deltas: against the entry at an offset, or the object with an id.
 */
export const offsetDelta = 6
export const idDelta = 7

/** The most bytes that the header of an entry has in a pack below 2 GiB. */
export const mostHeaderBytes = 32

/** The beginning of an entry of a pack. Positions count from the beginning of the entry. */
export type EntryHeader = {
  /** The number of a whole type, or of a type of deltas. */
  type: number
  /** The bytes of the content, inflated. */
  size: number
  /** Where the type and size end; the id or the distance of a delta's base follows. */
  sizeEnd: number
  /** How far before the entry its base begins; 0 where an id or nothing names the base. */
  distance: number
  /** Where the deflated content begins. */
  contentStart: number
}

/**
 * Reads the header of the entry at `at`, of which at least `length` bytes follow. Returns undefined
 * if it is invalid.
 */
export function readEntryHeader(
  bytes: Buffer,
  at: number,
  length: number,
): EntryHeader | undefined {
  const limit = at + Math.min(length, mostHeaderBytes)
  const type = (bytes[at]! >> 4) & 7
  let next = at + 1
  let size = bytes[at]! & 15

  for (let unit = 16; next < limit && bytes[next - 1]! & 0x80; unit *= 128)
    size += (bytes[next++]! & 0x7f) * unit
  const sizeEnd = next - at
  let distance = 0

  if (type === offsetDelta) {
    distance = bytes[next]! & 0x7f
    while (next < limit && bytes[next++]! & 0x80)
      distance = (distance + 1) * 128 + (bytes[next]! & 0x7f)
    if (distance === 0) return undefined
  } else if (type === idDelta) next += 20
  else if (!wholeTypes[type]) return undefined

  return next < limit ? { type, size, sizeEnd, distance, contentStart: next - at } : undefined
}

/**
 * Makes the header of a delta against the entry that begins `distance` bytes before it, at the
 * beginning of `into`. `sizeEnd` is that of the header at `at`, whose size is kept. Returns the
 * number of bytes.
 */
export function writeOffsetDeltaHeader(
  into: Buffer,
  distance: number,
  { bytes, at, sizeEnd }: { bytes: Buffer; at: number; sizeEnd: number },
): number {
  bytes.copy(into, 0, at, at + sizeEnd)
  into[0] = (into[0]! & 0x8f) | (offsetDelta << 4)
  let length = sizeEnd + 1
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor((rest - 1) / 128))
    length++

  // Each byte but the last stands for one more than it says.
  let rest = distance

  for (let i = length - 1; i >= sizeEnd; i--) {
    into[i] = (i === length - 1 ? 0 : 0x80) | (rest & 0x7f)
    rest = Math.floor(rest / 128) - 1
  }

  return length
}
