import type { Oid } from '../../lib/oid.ts'
import type { KnownSize } from '../disk/repository-size.ts'
import { GitError, isGitError } from '../values/errors.ts'
import { type TreeCache, treeCache } from '../values/tree-cache.ts'
import { CatFile, type ObjectAnswer, type ObjectReader } from './cat-file.ts'
import { UpdateRef } from './update-ref.ts'

/** A bare repository: its absolute folder and the processes that serve it. */
export type Repository = {
  readonly dir: string
  readonly processes: GitProcesses
  /** Writes what is still missing in the folder. Awaited before git is started on it. */
  readonly prepare?: () => Promise<void>
}

type GitProcessesOptions = {
  /**
   * Repositories that may have processes at once; the least recently used idle one is closed.
   * Default 50.
   */
  maxRepositories?: number
  /** Milliseconds after which idle processes end. Default 10,000. */
  idleMs?: number
  /** Milliseconds that one request may take. Default 30,000. */
  requestMs?: number
  /** Whether new objects may reach the disk after the change that adds them. */
  syncsLater?: boolean
}

type Entry = { cat: ObjectReader | undefined; update: UpdateRef | undefined; usedAt: number }

/** The long-lived git processes of all repositories, started on demand. */
export class GitProcesses {
  readonly trees: TreeCache = treeCache(64 * 1024 * 1024)
  /**
   * Adds objects to the folder of a repository that lacks some. Undefined where folders are complete.
   */
  refresh: ((dir: string) => Promise<void>) | undefined
  /**
   * The files of new objects that may not be on the disk yet, by the folder of the repository. Undefined
   * where a change waits for the disk.
   */
  readonly unsynced: Map<string, Set<string>> | undefined
  /** Known sizes of repositories by folder. */
  readonly sizes = new Map<string, KnownSize>()
  readonly #max: number
  readonly #idleMs: number
  readonly #requestMs: number
  readonly #entries = new Map<string, Entry>()
  #sweeper: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: GitProcessesOptions = {}) {
    this.#max = options.maxRepositories ?? 50
    this.#idleMs = options.idleMs ?? 10_000
    this.#requestMs = options.requestMs ?? 30_000
    this.unsynced = options.syncsLater ? new Map() : undefined
  }

  /**
   * Asks the object reader of the repository in this folder, as `ObjectReader` says. An object that is
   * missing, also because there is no folder, is asked for again after the folder was refreshed.
   */
  async ask(dir: string, oid: Oid, maxBytes: number): Promise<ObjectAnswer | undefined> {
    const asked = this.askFolder(dir, oid, maxBytes)
    if (!this.refresh) return asked
    const answer = await asked.catch((error: unknown) => {
      if (!isGitError(error, 'object_unreadable')) throw error
      return error
    })
    const isThere = answer !== undefined && !(answer instanceof GitError)
    if (isThere) return answer
    // What it lacked, another reader may have brought meanwhile.
    await this.refresh(dir)
    return this.askFolder(dir, oid, maxBytes)
  }

  /**
   * Asks the object reader of the repository in this folder, which is not refreshed. Asks again if the
   * repository is closed meanwhile, as it is when its folder is replaced.
   */
  async askFolder(dir: string, oid: Oid, maxBytes: number): Promise<ObjectAnswer | undefined> {
    for (;;)
      try {
        return await this.#readerOf(dir).ask(oid, maxBytes)
      } catch (error) {
        if (this.#isClosed || !isGitError(error, 'closed')) throw error
      }
  }

  /**
   * Sets the object reader of the repository in this folder. After the repository is closed, a
   * process reads its objects again.
   */
  readFrom(dir: string, reader: ObjectReader): void {
    const entry = this.#use(dir)
    entry.cat?.close()
    entry.cat = reader
  }

  /** Returns the ref transactions of the repository in this folder. */
  updateRef(dir: string): UpdateRef {
    const entry = this.#use(dir)
    entry.update ??= new UpdateRef(dir, this.#requestMs)
    return entry.update
  }

  /** Ends the processes of one repository, e.g. before its folder is removed. */
  closeRepository(dir: string): void {
    const entry = this.#entries.get(dir)
    this.#entries.delete(dir)
    entry?.cat?.close()
    entry?.update?.close()
  }

  /** Ends all processes. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    for (const dir of [...this.#entries.keys()]) this.closeRepository(dir)
  }

  /** The number of repositories with processes, for a metric. */
  get size(): number {
    return this.#entries.size
  }

  #readerOf(dir: string): ObjectReader {
    const entry = this.#use(dir)
    entry.cat ??= new CatFile(dir)
    return entry.cat
  }

  #use(dir: string): Entry {
    const entry = this.#entries.get(dir) ?? { cat: undefined, update: undefined, usedAt: 0 }
    // A Map keeps insertion order, so the first entry is the least recently used.
    this.#entries.delete(dir)
    this.#entries.set(dir, entry)
    entry.usedAt = performance.now()
    if (this.#entries.size > this.#max) this.#makeRoom(dir)
    this.#sweeper ??= setInterval(() => this.#sweep(), 1000).unref()
    return entry
  }

  #makeRoom(keep: string): void {
    for (const [dir, entry] of this.#entries) {
      if (this.#entries.size <= this.#max) return
      if (dir !== keep && isIdle(entry)) this.closeRepository(dir)
    }
  }

  #sweep(): void {
    for (const [dir, entry] of this.#entries) {
      entry.cat?.endIfStuck(this.#requestMs)
      if (isIdle(entry) && performance.now() - entry.usedAt > this.#idleMs)
        this.closeRepository(dir)
    }
    if (this.#entries.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }
}

const isIdle = (entry: Entry): boolean => !entry.cat?.pending && !entry.update?.pending
