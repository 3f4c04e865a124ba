import { type FileHandle, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '../process/processes.ts'
import { fileError } from '../values/errors.ts'
import { PackRefused } from './pack-refused.ts'

/** A pushed pack in a repository of its own, which borrows the objects of the repository that it was pushed to. */
export type Quarantine = {
  readonly repo: Repository
  readonly target: Repository
  /** The pack as it was sent. Its index and reverse index get the same name with another ending. */
  readonly packFile: string
}

/**
 * Runs `work` with an empty quarantine in a new folder below `stagingDir`, and removes the folder afterwards. A file
 * operation that fails on a full disk throws GitError 'no_space'.
 */
export async function withQuarantine<Result>(
  target: Repository,
  stagingDir: string,
  work: (quarantine: Quarantine) => Promise<Result>,
): Promise<Result> {
  let dir: string | undefined
  try {
    await mkdir(stagingDir, { recursive: true })
    dir = await mkdtemp(join(stagingDir, 'push-'))
    await prepare(dir, target)
    const repo = { dir, processes: target.processes }
    return await work({ repo, target, packFile: join(dir, 'objects/pack/pushed.pack') })
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    if (dir !== undefined) {
      target.processes.closeRepository(dir)
      await rm(dir, { recursive: true, force: true })
    }
  }
}

async function prepare(dir: string, target: Repository): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs'])
    await mkdir(join(dir, folder), { recursive: true })
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(dir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  await writeFile(join(dir, 'objects/info/alternates'), `${join(target.dir, 'objects')}\n`)
}

/**
 * Writes the bytes of a pack to the quarantine and syncs them. Returns their number. Throws PackRefused as soon as
 * there are more than `most`; the rest is then unread.
 */
export async function spoolPack(
  { packFile }: Quarantine,
  chunks: AsyncIterable<Buffer>,
  most: number,
): Promise<number> {
  let handle: FileHandle | undefined
  let bytes = 0
  try {
    handle = await open(packFile, 'wx', 0o444)
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most) throw new PackRefused(`the push is larger than ${Math.floor(most / 1024 ** 2)} MB`)
      await handle.write(chunk)
    }
    await handle.sync()
    return bytes
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    await handle?.close()
  }
}
