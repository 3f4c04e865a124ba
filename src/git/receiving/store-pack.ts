import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Oid } from '../../lib/oid.ts'
import { syncFile } from '../disk/durable.ts'
import type { ConfigPair } from '../process/environment.ts'
import { limiter, mostFileBytes } from '../process/limits.ts'
import type { Repository } from '../process/processes.ts'
import { type RunResult, runGit } from '../process/run.ts'
import { commandError, isGitError } from '../values/errors.ts'
import { isBroken, lacksObjects, PackRefused } from './pack-refused.ts'
import { type Quarantine, withQuarantine } from './quarantine.ts'

/** The most objects of one pack. Git takes about 135 bytes of memory for each. */
const mostObjects = 1_000_000
const headerBytes = 12
const trailerBytes = 20
/** The smallest entry of a pack: a byte for type and size, and a deflated empty content. */
const leastEntry = 9
const indexMs = 600_000
/**
 * The most memory of the process that reads a pack: a delta of a few hundred bytes can ask for
 * gigabytes. A file of 100 MB that is sent as a delta takes 200 MB, as Git needs the base and the
 * result.
 */
const indexBytes = 256 * 1024 ** 2
/** Limits on what Git maps and keeps of the packs of the repository, which count as memory. */
const smallWindows: readonly ConfigPair[] = [
  ['core.packedGitWindowSize', '4m'],
  ['core.packedGitLimit', '16m'],
  ['core.deltaBaseCacheLimit', '8m'],
]
/** Packs of up to this many objects get no reverse index: Git reads them as fast without one. */
const manyObjects = 1000

/** Harmless mistakes of old Git programs are ignored, as in imports. */
const strict = '--strict=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore'

/** A pack whose format and objects were checked. Without an object there is no index. */
export type StoredPack = {
  objects: number
  /** The pack and its index survive a power cut once this resolves. */
  synced: Promise<unknown>
}

/**
 * Checks the format and the objects of a spooled pack, and writes its index. Resolves deltas only
 * inside the pack, so that a sender cannot use objects that they may not see as bases. Throws
 * PackRefused, and GitError 'no_space', 'busy', 'timeout' or 'aborted'.
 */
export async function storePack(
  { repo, packFile }: Quarantine,
  { signal }: { signal?: AbortSignal } = {},
): Promise<StoredPack> {
  const objects = await readHeader(packFile)
  if (objects === 0) return { objects, synced: Promise.resolve() }

  // Runs in parallel with the process, and then with the checks of the objects. A refused push does
  // not await it.
  const packSynced = syncFile(packFile)
  packSynced.catch(() => {})
  const isLarge = objects > manyObjects
  let result: RunResult

  try {
    result = await runGit(
      repo,
      ['index-pack', strict, ...(isLarge ? ['--rev-index'] : []), packFile],
      {
        slots: 'push',
        timeoutMs: indexMs,
        config: [['core.fsync', 'none'], ...smallWindows],
        wrapper: limiter(mostFileBytes, indexBytes),
        ...(signal && { signal }),
      },
    )
  } catch (error) {
    // The system ends Git when the pack needs more time than the limits allow.
    if (isGitError(error, 'failed')) throw isBroken()
    throw error
  }

  if (result.code !== 0) throw refusalOf(result)

  const others = ['idx', ...(isLarge ? ['rev'] : [])].map(ending =>
    packFile.replace(/pack$/, ending),
  )
  const synced = Promise.all([packSynced, ...others.map(syncFile)])

  synced.catch(() => {})

  return { objects, synced }
}

/**
 * Returns the number of objects that the pack says it has. Checks the rest only of an empty pack.
 */
async function readHeader(file: string): Promise<number> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size < headerBytes + trailerBytes) throw isBroken()
    const bytes = Buffer.alloc(headerBytes + trailerBytes)
    await handle.read(bytes, 0, bytes.length, 0)
    const [version, objects] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)]
    if (bytes.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3))
      throw isBroken()
    if (objects > (size - headerBytes - trailerBytes) / leastEntry) throw isBroken()
    if (objects > mostObjects)
      throw new PackRefused('the pack has more than 1,000,000 objects: push fewer commits at once')
    if (objects === 0 && !isEmptyPack(bytes)) throw isBroken()
    if (objects === 0 && size > bytes.length) throw isBroken()

    return objects
  } finally {
    await handle.close()
  }
}

const isEmptyPack = (bytes: Buffer): boolean =>
  createHash('sha1')
    .update(bytes.subarray(0, headerBytes))
    .digest()
    .equals(bytes.subarray(headerBytes))

const needsMemory = () =>
  new PackRefused(
    `the check of the pack needs more than ${indexBytes / 1024 ** 2} MB of memory: push fewer commits at once, or smaller files`,
  )

function refusalOf({ code, stderr }: RunResult): Error {
  if (/out of memory|cannot allocate memory/i.test(stderr)) return needsMemory()
  const fsck = /^error: object [0-9a-f]{40}: (.+)$/m.exec(stderr)?.[1]
  if (fsck !== undefined)
    return new PackRefused(`the pack holds an object that is not allowed: ${fsck}`)
  if (/unresolved deltas?|did not receive expected object|Not all child objects/.test(stderr))
    return lacksObjects()
  const error = commandError('check the pushed pack', code, stderr)
  return error.code === 'no_space' ? error : isBroken()
}

/**
 * Checks objects of the repository by the rules for a pushed pack. Throws PackRefused for what
 * Git's check of objects refuses, and GitError.
 */
export const checkStored = (
  repo: Repository,
  stagingDir: string,
  oids: Iterable<Oid>,
): Promise<void> =>
  withQuarantine(repo, stagingDir, async quarantine => {
    const input = `${[...oids].join('\n')}\n`
    const packed = await runGit(repo, ['pack-objects', '--stdout', '-q', '--window=0'], { input })
    if (packed.code !== 0) throw commandError('pack changed files', packed.code, packed.stderr)
    await quarantine.writePack(packed.stdout)
    await storePack(quarantine)
  })
