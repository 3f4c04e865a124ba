import {
  idDelta,
  mostHeaderBytes,
  offsetDelta,
  readEntryHeader,
  writeOffsetDeltaHeader,
} from '../objects/entry-header.ts'
import { GitError } from '../values/errors.ts'
import type { ObjectIds } from './object-ids.ts'
import type { OpenPack } from './open-packs.ts'
import { entryStarting } from './pack-index.ts'
import type { PackOutput } from './pack-output.ts'
import type { PackWindow } from './pack-window.ts'

/** What is written of a pack for a set of objects. */
export type Writing = {
  ids: ObjectIds
  /** Where the entry of each object of the set begins; 0 where it is not written yet. */
  written: Uint32Array
  output: PackOutput
  /** Memory for the header of a delta. */
  header: Buffer
}

/**
 * Writes the objects of the set that a pack has and that are not written yet. The content of
 * entries is copied; the header of a delta names the distance to the base in the new pack. No
 * circle of deltas can arise: an object comes from the first pack that has it, and the base of its
 * delta from the same pack or an earlier one. Throws GitError 'failed' for a damaged pack.
 */
export async function copyPack(
  pack: OpenPack,
  writing: Writing,
  window: PackWindow,
): Promise<void> {
  const { index } = pack
  window.use(pack.file)

  for (let i = 0; i < index.places.length; i++) {
    const place = index.places[i]!
    if (place === -1 || writing.written[place] !== 0) continue
    const [offset, end] = [index.offsets[i]!, index.offsets[i + 1]!]
    if (!window.covers(offset, Math.min(end, offset + mostHeaderBytes))) await window.moveTo(offset)
    writing.written[place] = writing.output.bytes
    const { headerBytes, contentStart } = newHeader(pack, { offset, end }, writing, window)
    const turn = headerBytes > 0 && writing.output.write(writing.header, 0, headerBytes)
    if (turn) await turn

    for (let at = contentStart; at < end; ) {
      if (!window.covers(at, at + 1)) await window.moveTo(at)
      const to = Math.min(end, window.end)
      const wait = writing.output.write(window.bytes, at - window.start, to - window.start)
      if (wait) await wait
      at = to
    }
  }
}

/**
 * Makes the new header of an entry. Returns its length, and the offset of what is copied after it:
 * without a new header, that is the whole entry. The old header must be in the window.
 */
function newHeader(
  { index }: OpenPack,
  { offset, end }: { offset: number; end: number },
  { ids, written, output, header }: Writing,
  { bytes, start, end: windowEnd }: PackWindow,
): { headerBytes: number; contentStart: number } {
  const unchanged = { headerBytes: 0, contentStart: offset }
  const at = offset - start
  const old = readEntryHeader(bytes, at, Math.min(end, windowEnd) - offset)
  if (!old) throw damaged()

  const { type, sizeEnd, distance, contentStart } = old
  if (type !== offsetDelta && type !== idDelta) return unchanged

  const base =
    type === idDelta
      ? ids.find(bytes, at + sizeEnd)
      : index.places[entryStarting(index, offset - distance)]

  // The plan has found that no base is outside the set.
  if (base === undefined || base === -1) throw damaged()

  const place = written[base]!

  if (place === 0) {
    // The base comes later in this pack.
    if (type === idDelta) return unchanged
    throw damaged()
  }

  const now = output.bytes - place
  if (type === offsetDelta && now === distance) return unchanged

  const headerBytes = writeOffsetDeltaHeader(header, now, { bytes, at, sizeEnd })

  return { headerBytes, contentStart: offset + contentStart }
}

const damaged = (): GitError => new GitError('failed', 'A pack of the repository is damaged.')
