import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { Repository } from '../process/processes.ts'
import { fileError, GitError } from '../values/errors.ts'
import { PackRefused } from './pack-refused.ts'

/** A pushed pack in a repository of its own, which borrows the objects of the repository that it was pushed to. */
export type Quarantine = {
  readonly repo: Repository
  readonly target: Repository
  /** The pack as it was sent. Its index and reverse index get the same name with another ending. */
  readonly packFile: string
}

/** A pack that comes leaves this much of the disk free, which is looked after each of so many bytes. */
const leastFree = 256 * 1024 ** 2
const lookBytes = 16 * 1024 ** 2
/** So many chunks of a pack, of at most 64 kB each, are written at once. */
const fewChunks = 8

const packPath = 'objects/pack/pushed.pack'

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
    mkdirSync(stagingDir, { recursive: true })
    dir = mkdtempSync(join(stagingDir, 'push-'))
    prepare(dir, target)
    const repo = { dir, processes: target.processes }
    return await work({ repo, target, packFile: join(dir, packPath) })
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    if (dir !== undefined) {
      target.processes.closeRepository(dir)
      // A large file takes the file system long, so it goes first, in a thread.
      if (existsSync(join(dir, packPath))) await unlink(join(dir, packPath)).catch(() => {})
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

/** Writes the few files of a repository at once, which takes less time than to pass each to a thread. */
function prepare(dir: string, target: Repository): void {
  for (const folder of ['objects/info', 'objects/pack', 'refs'])
    mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
  writeFileSync(join(dir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  writeFileSync(join(dir, 'objects/info/alternates'), `${join(target.dir, 'objects')}\n`)
}

/**
 * Writes the bytes of a pack to the quarantine. Returns their number. Throws PackRefused as soon as
 * there are more than `most`, and GitError 'no_space' when the disk becomes almost full; the rest is then unread.
 */
export async function spoolPack(
  { packFile }: Quarantine,
  chunks: AsyncIterable<Buffer>,
  most: number,
): Promise<number> {
  let handle: FileHandle | undefined
  let [bytes, looked] = [0, 0]
  let waiting: Buffer[] = []
  const write = async () => {
    const all = Buffer.concat(waiting)
    waiting = []
    await handle?.appendFile(all)
  }
  try {
    handle = await open(packFile, 'wx', 0o444)
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most) throw new PackRefused(`the push is larger than ${Math.floor(most / 1024 ** 2)} MB`)
      if (bytes - looked > lookBytes) {
        checkRoom(packFile)
        looked = bytes
      }
      waiting.push(chunk)
      if (waiting.length >= fewChunks) await write()
    }
    await write()
    return bytes
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    await handle?.close()
  }
}

function checkRoom(packFile: string): void {
  if (freeBytes(dirname(packFile)) < leastFree)
    throw new GitError('no_space', 'The disk that holds the repositories is almost full.')
}
