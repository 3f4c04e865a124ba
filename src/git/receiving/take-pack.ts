import { copyFile, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crashPoint } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { syncFile, syncFolders } from '../disk/durable.ts'
import { listPacks } from '../disk/list-packs.ts'
import { installObjects } from '../objects/install-objects.ts'
import { type NewObject, objectInfo, readObject, wholeObject } from '../objects/objects.ts'
import { limiter, mostFileBytes } from '../process/limits.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError, fileError, GitError } from '../values/errors.ts'
import { noIds, type PackIds, readPackIds } from './pack-ids.ts'
import type { Quarantine } from './quarantine.ts'
import type { StoredPack } from './store-pack.ts'
import type { ClosureOptions } from './walk-few.ts'

/**
 * With this many packs, Git finds objects slowly; the objects of further packs are loose until
 * upkeep.
 */
const mostPacks = 50
/**
 * A pack of more or larger objects is kept as a pack: loose files would be slower, and larger, than
 * one pack more.
 */
const fewObjects = 1000
const fewBytes = 8 * 1024 ** 2

/**
 * What a repository has after a pack: its number of packs, and the bytes of the objects that were
 * not kept as a pack.
 */
export type Taken = { packs: number; loose: number }

/**
 * Moves the objects of a checked pack into the repository so that they survive a power cut. Waits
 * for `synced` before it moves the files. Safe to repeat. Throws GitError 'no_space'.
 */
export async function takePack(
  quarantine: Quarantine,
  pack: PackIds,
  { synced }: Pick<StoredPack, 'synced'>,
): Promise<Taken> {
  const { target, repo } = quarantine
  const packs = (await listPacks(target)).length
  if (pack.size === 0) return { packs, loose: 0 }

  try {
    if (packs >= mostPacks && pack.size <= fewObjects) {
      const sizes = await objectInfo(repo, [...pack.all()])
      const loose = [...sizes.values()].reduce((sum, { size }) => sum + size, 0)
      if (loose <= fewBytes) {
        await installObjects(target, objectsOf(repo, sizes))
        return { packs, loose }
      }
    }

    await synced
    await movePack(quarantine)

    return { packs: packs + 1, loose: 0 }
  } catch (error) {
    throw fileError('take a pushed pack', error)
  }
}

const objectsOf = (repo: Repository, sizes: ReadonlyMap<Oid, { size: number }>): NewObject[] =>
  [...sizes].map(([oid, { size }]) => ({
    oid,
    whole: async () => {
      const object = await readObject(repo, oid, size)
      if (!object) throw new GitError('object_unreadable', 'An object of the pack cannot be read.')
      return wholeObject(object)
    },
  }))

/** Git discovers a pack by its index, so the index comes last. */
async function movePack({ packFile, target }: Quarantine): Promise<void> {
  const folder = join(target.dir, 'objects/pack')
  const name = `pack-${await digestOf(packFile)}`
  for (const ending of ['pack', 'rev', 'idx']) {
    const from = packFile.replace(/pack$/, ending)
    const to = join(folder, `${name}.${ending}`)
    // The name is the digest of the content: an earlier try has moved it. A pack of few objects has
    // no reverse index.
    if ((await exists(to)) || (ending === 'rev' && !(await exists(from)))) continue
    await moveFile(from, to, folder)
  }

  await syncFolders([folder, join(target.dir, 'objects')])
  crashPoint('W1')
}

/** Returns the digest at the end of a pack. */
async function digestOf(packFile: string): Promise<string> {
  const handle = await open(packFile, 'r')
  try {
    const { size } = await handle.stat()
    const bytes = Buffer.alloc(20)
    await handle.read(bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('hex')
  } finally {
    await handle.close()
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Renames a file, or copies it where the staging folder is on another file system. */
async function moveFile(from: string, to: string, folder: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const temporary = join(folder, `tmp_pack_${randomId(10)}`)
    try {
      await copyFile(from, temporary)
      await syncFile(temporary)
      await rename(temporary, to)
    } catch (failed) {
      await rm(temporary, { force: true })
      throw failed
    }
  }
}

const packMs = 600_000
const endings = ['pack', 'rev', 'idx']

/**
 * Replaces the checked pack of a quarantine by one of only those of its objects that `tips` lead to
 * and that the repository lacks. Takes deltas as they are. Throws GitError.
 */
export async function dropUnreached(
  { repo, packFile }: Quarantine,
  { tips, visible, signal }: Pick<ClosureOptions, 'tips' | 'visible' | 'signal'>,
): Promise<{ pack: PackIds; synced: Promise<unknown> }> {
  const kept = join(dirname(packFile), 'kept')
  const args = ['--revs', '--local', '--non-empty', '--delta-base-offset', '--window=0', '-q', kept]
  const result = await runGit(repo, ['pack-objects', ...args], {
    input: `${[...tips, ...visible.map(oid => `^${oid}`)].join('\n')}\n`,
    slots: 'push',
    timeoutMs: packMs,
    config: [
      ['core.fsync', 'none'],
      ['pack.writeReverseIndex', 'true'],
    ],
    wrapper: limiter(mostFileBytes),
    ...(signal && { signal }),
  })
  if (result.code !== 0)
    throw commandError('take the objects of a push', result.code, result.stderr)

  // The process that reads the objects has the old pack open.
  repo.processes.closeRepository(repo.dir)
  const files = endings.map(ending => packFile.replace(/pack$/, ending))

  await Promise.all(files.map(file => rm(file, { force: true })))
  const digest = result.stdout.toString().trim()
  if (digest === '') return { pack: noIds, synced: Promise.resolve() }
  for (const [i, file] of files.entries()) await rename(`${kept}-${digest}.${endings[i]}`, file)
  const synced = Promise.all(files.map(syncFile))

  synced.catch(() => {})

  return { pack: await readPackIds(packFile), synced }
}
