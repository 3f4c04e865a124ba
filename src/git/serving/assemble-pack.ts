import { pauses } from '../../lib/slices.ts'
import { mostHeaderBytes } from '../objects/entry-header.ts'
import { readObject, unreadable } from '../objects/objects.ts'
import { packEntry } from '../objects/pack-entry.ts'
import type { Repository } from '../process/processes.ts'
import { takeSlot } from '../process/slots.ts'
import { bandPackets } from '../protocol/packets.ts'
import { GitError, isGitError } from '../values/errors.ts'
import { copyPack, type Writing } from './copy-pack.ts'
import type { ObjectIds } from './object-ids.ts'
import { listServedPacks, type OpenPack, withOpenPacks } from './open-packs.ts'
import { PackOutput } from './pack-output.ts'
import { PackWindow } from './pack-window.ts'
import { planPack, type WholeObject } from './plan-pack.ts'
import type { Spool } from './spool.ts'

/**
 * Objects that are read one by one are held in memory up to these limits, or one that is larger.
 */
const batch = { objects: 200, bytes: 1024 ** 2 }
/** Bytes of packs that are read at once. */
const defaultWindow = 512 * 1024

type AssembleRequest = {
  /** Returns everything that the client wants. */
  find: () => Promise<ObjectIds>
  signal: AbortSignal
  /** Bytes of a pack that are read at once. Default 512 kB. */
  windowBytes?: number
}

/**
 * Answers a fetch with a pack of whole objects and deltas that are copied from the packs on the
 * disk. Git needs several times the processor time for the same. Returns undefined, with nothing
 * written to the spool, for a repository that this does not support. Otherwise returns the error
 * that occurred after the client had got a part, where there was one. Throws GitError 'busy',
 * 'timeout', 'aborted', 'no_space'.
 */
export async function assemblePack(
  repo: Repository,
  { find, signal, windowBytes = defaultWindow }: AssembleRequest,
  spool: Spool,
): Promise<{ error?: GitError } | undefined> {
  const files = await listServedPacks(repo)
  // The walk takes a place of its own: it must not wait for one while it holds another.
  const ids = files && (await find().catch(error => unlessUnreadable(error, signal)))
  if (!files || !ids) return undefined

  const release = await takeSlot('fetch')

  try {
    return await withOpenPacks(files, ids, async packs => {
      const window = new PackWindow(windowBytes)
      const whole = await planPack(repo, packs, { ids, window })
      return whole && (await answer(repo, { packs, whole, ids, window, signal }, spool))
    })
  } finally {
    release()
  }
}

/**
 * Returns undefined for a history that cannot be walked: Git tells the client what is wrong with
 * it.
 */
function unlessUnreadable(error: unknown, signal: AbortSignal): undefined {
  if (signal.aborted) throw cancelled()
  const isLimit = (['busy', 'timeout', 'aborted'] as const).some(code => isGitError(error, code))
  if (isLimit || !isGitError(error)) throw error
}

type Answer = {
  packs: readonly OpenPack[]
  whole: readonly WholeObject[]
  ids: ObjectIds
  window: PackWindow
  signal: AbortSignal
}

async function answer(
  repo: Repository,
  { packs, whole, ids, window, signal }: Answer,
  spool: Spool,
): Promise<{ error?: GitError }> {
  if (signal.aborted) throw cancelled()
  await (await spool.open()).forget()
  const output = new PackOutput(spool, signal)
  const header = Buffer.alloc(mostHeaderBytes)
  const writing = { ids, written: new Uint32Array(ids.size), output, header }

  try {
    await output.start(ids.size)
    await writeWhole(repo, whole, writing)
    for (const pack of packs) await copyPack(pack, writing, window)
    await output.finish()
    return {}
  } catch (error) {
    if (isGitError(error, 'aborted') || isGitError(error, 'no_space')) throw error
    await spool.append(bandPackets(3, 'upload-pack: the fetch failed\n'))
    return {
      error: isGitError(error)
        ? error
        : new GitError('failed', 'A pack cannot be read.', {}, String(error)),
    }
  }
}

/**
 * Writes objects that are not copied. They come first, so that deltas which are copied find them as
 * bases.
 */
async function writeWhole(
  repo: Repository,
  objects: readonly WholeObject[],
  { ids, written, output }: Writing,
): Promise<void> {
  const pause = pauses()
  for (const part of batchesOf(objects)) {
    const read = await Promise.all(part.map(({ place }) => readObject(repo, ids.at(place))))
    for (const [i, { place }] of part.entries()) {
      const object = read[i]
      if (!object) throw unreadable(ids.at(place))
      written[place] = output.bytes
      await output.write(await packEntry(object))
      await pause()
    }
  }
}

function* batchesOf(objects: readonly WholeObject[]): Generator<WholeObject[]> {
  let part: WholeObject[] = []
  let bytes = 0
  for (const object of objects) {
    if (part.length > 0 && (part.length === batch.objects || bytes + object.size > batch.bytes)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(object)
    bytes += object.size
  }

  if (part.length > 0) yield part
}

const cancelled = (): GitError => new GitError('aborted', 'The work was cancelled.')
