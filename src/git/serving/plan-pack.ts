import { idDelta, mostHeaderBytes, offsetDelta, readEntryHeader } from '../objects/entry-header.ts'
import { objectInfo } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import type { ObjectIds } from './object-ids.ts'
import type { OpenPack } from './open-packs.ts'
import { entryStarting } from './pack-index.ts'
import type { PackWindow } from './pack-window.ts'

/**
 * Limits on the objects that are read and deflated one by one. For more of them, a process of Git
 * takes less time, and none of this one's.
 */
const mostWhole = 300
const mostWholeBytes = 16 * 1024 ** 2

/** The size of an object that cannot be copied from a pack. */
export type WholeObject = { place: number; size: number }

/**
 * Returns which objects of a set cannot be copied from the packs: loose ones, and deltas against an
 * object outside the set. Returns undefined if they exceed the limits, if one is missing, or if a
 * pack is damaged.
 */
export async function planPack(
  repo: Repository,
  packs: readonly OpenPack[],
  { ids, window }: { ids: ObjectIds; window: PackWindow },
): Promise<WholeObject[] | undefined> {
  const origins = originsOf(packs, ids)
  const whole = new Set<number>()
  for (let place = origins.indexOf(0); place !== -1; place = origins.indexOf(0, place + 1)) {
    whole.add(place)
    if (whole.size > mostWhole) return undefined
  }

  for (const [i, pack] of packs.entries()) {
    // A pack on the disk has the bases of all of its deltas.
    if (pack.index.isWithin) continue
    const isSound = await addDetached(pack, { ids, window, origins, number: i + 1 }, whole)
    if (!isSound || whole.size > mostWhole) return undefined
  }

  return sizesOf(repo, [...whole], ids)
}

/**
 * Returns for each object of the set the number of the first pack that has it, from 1; 0 for none.
 */
function originsOf(packs: readonly OpenPack[], ids: ObjectIds): Uint8Array {
  const origins = new Uint8Array(ids.size)
  for (const [i, { index }] of packs.entries())
    for (const place of index.places)
      if (place !== -1 && origins[place] === 0) origins[place] = i + 1
  return origins
}

type Scan = { ids: ObjectIds; window: PackWindow; origins: Uint8Array; number: number }

/**
 * Adds the objects that a pack has as deltas against objects outside the set. Returns false if an
 * entry is invalid.
 */
async function addDetached(
  { file, index }: OpenPack,
  { ids, window, origins, number }: Scan,
  whole: Set<number>,
): Promise<boolean> {
  window.use(file)

  for (let i = 0; i < index.places.length; i++) {
    const place = index.places[i]!
    if (place === -1 || origins[place] !== number) continue
    const [offset, end] = [index.offsets[i]!, index.offsets[i + 1]!]
    if (!window.covers(offset, Math.min(end, offset + mostHeaderBytes))) await window.moveTo(offset)

    const at = offset - window.start
    const header = readEntryHeader(window.bytes, at, Math.min(end, window.end) - offset)
    if (!header) return false

    if (header.type === offsetDelta) {
      const base = entryStarting(index, offset - header.distance)
      if (base === -1) return false
      if (index.places[base] === -1) whole.add(place)
    } else if (header.type === idDelta) {
      const base = ids.find(window.bytes, at + header.sizeEnd)
      // The base is in the same pack, and so comes from this one or an earlier one.
      if (base !== -1 && (origins[base] === 0 || origins[base]! > number)) return false
      if (base === -1) whole.add(place)
    }
  }

  return true
}

async function sizesOf(
  repo: Repository,
  places: readonly number[],
  ids: ObjectIds,
): Promise<WholeObject[] | undefined> {
  const oids = places.map(place => ids.at(place))
  const infos = await objectInfo(repo, oids)
  const sizes = oids.flatMap(oid => infos.get(oid)?.size ?? [])
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (sizes.length < places.length || bytes > mostWholeBytes) return undefined
  return places.map((place, i) => ({ place, size: sizes[i]! }))
}
