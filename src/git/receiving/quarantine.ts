import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { Oid } from '../../lib/oid.ts'
import { type StagedObjects, stageObjects } from '../objects/install-objects.ts'
import { writeLoose } from '../objects/loose.ts'
import { type NewObject, wholeObject } from '../objects/objects.ts'
import type { ObjectReader } from '../process/cat-file.ts'
import type { Repository } from '../process/processes.ts'
import { fileError, GitError } from '../values/errors.ts'
import { PackRefused } from './pack-refused.ts'
import type { PackObject } from './plain-objects.ts'

/** A pack of up to this many bytes is kept in memory. */
const fewBytes = 256 * 1024
/**
 * An incoming pack leaves this much of the disk free. The free space is checked again after every
 * `lookBytes`.
 */
const leastFree = 256 * 1024 ** 2
const lookBytes = 16 * 1024 ** 2
/** Chunks of at most 64 kB that are written to the file together. */
const fewChunks = 8
/** Chunks that are joined in memory: each may be a single byte. */
const manyChunks = 64

/**
 * A pushed pack in a repository of its own, which borrows the objects of the repository that it was
 * pushed to. Its folder is made when the first file is needed: most pushes are small, and are
 * checked in memory.
 */
export class Quarantine {
  readonly repo: Repository
  readonly target: Repository
  /** The pack as it was sent. Its index and reverse index get the same name with another ending. */
  readonly packFile: string
  #isMade = false
  #unwritten: ReadonlyMap<Oid, PackObject> | undefined
  #prepared: Promise<void> | undefined
  #staged: Promise<StagedObjects> | undefined

  constructor(target: Repository, dir: string) {
    this.repo = {
      dir,
      processes: target.processes,
      prepare: () => (this.#prepared ??= this.#prepare()),
    }
    this.target = target
    this.packFile = join(dir, 'objects/pack/pushed.pack')
  }

  /** Makes the folder, unless it is there. */
  make(): void {
    if (this.#isMade) return
    this.#isMade = true
    const { dir } = this.repo

    // Synchronous: these few files take less time than to pass each to a thread.
    for (const folder of ['objects/info', 'objects/pack', 'refs'])
      mkdirSync(join(dir, folder), { recursive: true })
    writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
    writeFileSync(join(dir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
    writeFileSync(join(dir, 'objects/info/alternates'), `${join(this.target.dir, 'objects')}\n`)
  }

  /**
   * Holds the objects of the pack in memory, where they are read from. They become files when git
   * is started.
   */
  hold(objects: ReadonlyMap<Oid, PackObject>): void {
    this.#unwritten = objects
    this.repo.processes.readFrom(this.repo.dir, memoryReader(objects, this.target))
  }

  /**
   * Begins to write objects that were checked to the repository of the push. Those that are not
   * installed are removed.
   */
  stage(objects: ReadonlyMap<Oid, PackObject>): Promise<StagedObjects> {
    const staged = stageObjects(this.target, newObjects(objects))
    // A push that is refused does not await it.
    staged.catch(() => {})
    this.#staged = staged
    return staged
  }

  /** Writes the bytes of a pack that was kept in memory. */
  async writePack(whole: Buffer): Promise<void> {
    this.#unwritten = undefined
    this.make()
    await writeFile(this.packFile, whole, { flag: 'wx', mode: 0o444 })
  }

  /** Removes the folder, and the objects that were not installed. */
  async remove(): Promise<void> {
    this.repo.processes.closeRepository(this.repo.dir)
    await this.#prepared?.catch(() => {})
    const staged = await this.#staged?.catch(() => undefined)
    staged?.discard()
    if (!this.#isMade) return
    // A large file takes the file system long, so it goes first, in a thread.
    if (existsSync(this.packFile)) await unlink(this.packFile).catch(() => {})
    rmSync(this.repo.dir, { recursive: true, force: true })
  }

  async #prepare(): Promise<void> {
    this.make()
    if (this.#unwritten)
      await writeLoose(join(this.repo.dir, 'objects'), newObjects(this.#unwritten))
  }
}

/** Returns a reader of some objects from memory, and of all others from a repository. */
const memoryReader = (
  objects: ReadonlyMap<Oid, PackObject>,
  { dir, processes }: Repository,
): ObjectReader => ({
  // Never idle: no process could read the objects.
  pending: 1,
  ask: async (oid, maxBytes) => {
    const found = objects.get(oid)
    if (!found) return processes.askFolder(dir, oid, maxBytes)
    const { type, content } = found
    return { oid, type, size: content.length, ...(content.length <= maxBytes && { content }) }
  },
  endIfStuck: () => {},
  close: () => {},
})

const newObjects = (objects: ReadonlyMap<Oid, PackObject>): NewObject[] =>
  [...objects].map(([oid, object]) => ({ oid, whole: () => wholeObject(object) }))

/**
 * Runs `work` with an empty quarantine below `stagingDir`, and removes it afterwards. A file
 * operation that fails on a full disk throws GitError 'no_space'.
 */
export async function withQuarantine<Result>(
  target: Repository,
  stagingDir: string,
  work: (quarantine: Quarantine) => Promise<Result>,
): Promise<Result> {
  const quarantine = new Quarantine(target, join(stagingDir, `push-${randomId(12)}`))
  try {
    return await work(quarantine)
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    await quarantine.remove()
  }
}

/** A received pack. `whole` has the bytes of a small one, for which there is no file. */
export type ReceivedPack = { bytes: number; whole?: Buffer }

/**
 * Receives the bytes of a pack: a small one into memory, any other into a file of the quarantine.
 * Throws PackRefused as soon as there are more than `most`, and GitError 'no_space' when the disk
 * becomes almost full; the rest is then unread.
 */
export async function receivePack(
  quarantine: Quarantine,
  chunks: AsyncIterable<Buffer>,
  most: number,
): Promise<ReceivedPack> {
  const { packFile } = quarantine
  let handle: FileHandle | undefined
  let [bytes, looked] = [0, 0]
  let waiting: Buffer[] = []
  const write = async () => {
    quarantine.make()
    handle ??= await open(packFile, 'wx', 0o444)
    const all = Buffer.concat(waiting)
    waiting = []
    await handle.appendFile(all)
  }

  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most)
        throw new PackRefused(`the push is larger than ${Math.floor(most / 1024 ** 2)} MB`)

      if (bytes - looked > lookBytes) {
        checkRoom(dirname(quarantine.repo.dir))
        looked = bytes
      }

      waiting.push(chunk)
      if (bytes > fewBytes && (!handle || waiting.length >= fewChunks)) await write()
      else if (waiting.length >= manyChunks) waiting = [Buffer.concat(waiting)]
    }

    if (bytes <= fewBytes) return { bytes, whole: Buffer.concat(waiting) }
    await write()

    return { bytes }
  } catch (error) {
    throw fileError('receive a push', error)
  } finally {
    await handle?.close()
  }
}

function checkRoom(folder: string): void {
  if (freeBytes(folder) < leastFree)
    throw new GitError('no_space', 'The disk that holds the repositories is almost full.')
}
