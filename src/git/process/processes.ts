import type { KnownSize } from '../disk/repository-size.ts'
import { type TreeCache, treeCache } from '../values/tree-cache.ts'
import { CatFile } from './cat-file.ts'
import { UpdateRef } from './update-ref.ts'

/** A bare repository: its folder (absolute) and the processes that serve it. */
export type Repository = { readonly dir: string; readonly processes: GitProcesses }

export type GitProcessesOptions = {
  /**
   * Repositories that may have processes at once; the least recently used one without work gives way. Default
   * 50.
   */
  maxRepositories?: number
  /** Milliseconds after which processes without work end. Default 10,000. */
  idleMs?: number
  /** Milliseconds that one request may take. Default 30,000. */
  requestMs?: number
}

type Entry = { cat: CatFile | undefined; update: UpdateRef | undefined; usedAt: number }

/** The long-lived git processes of all repositories, started when they are needed. */
export class GitProcesses {
  readonly trees: TreeCache = treeCache(64 * 1024 * 1024)
  /** How large repositories are, by folder, as far as somebody has asked. */
  readonly sizes = new Map<string, KnownSize>()
  readonly #max: number
  readonly #idleMs: number
  readonly #requestMs: number
  readonly #entries = new Map<string, Entry>()
  #sweeper: NodeJS.Timeout | undefined

  constructor(options: GitProcessesOptions = {}) {
    this.#max = options.maxRepositories ?? 50
    this.#idleMs = options.idleMs ?? 10_000
    this.#requestMs = options.requestMs ?? 30_000
  }

  /** The object reader of the repository in this folder. Ask and forget: it may be another one next time. */
  catFile(dir: string): CatFile {
    const entry = this.#use(dir)
    entry.cat ??= new CatFile(dir)
    return entry.cat
  }

  /** The ref transactions of the repository in this folder. */
  updateRef(dir: string): UpdateRef {
    const entry = this.#use(dir)
    entry.update ??= new UpdateRef(dir, this.#requestMs)
    return entry.update
  }

  /** Ends the processes of one repository, e.g. before its folder goes. */
  closeRepository(dir: string): void {
    const entry = this.#entries.get(dir)
    this.#entries.delete(dir)
    entry?.cat?.close()
    entry?.update?.close()
  }

  /** Ends all processes. */
  close(): void {
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    for (const dir of [...this.#entries.keys()]) this.closeRepository(dir)
  }

  /** How many repositories have processes, for a metric. */
  get size(): number {
    return this.#entries.size
  }

  #use(dir: string): Entry {
    const entry = this.#entries.get(dir) ?? { cat: undefined, update: undefined, usedAt: 0 }
    // A Map keeps the order of insertion: the first entry is the least recently used one.
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
      if (isIdle(entry) && performance.now() - entry.usedAt > this.#idleMs) this.closeRepository(dir)
    }
    if (this.#entries.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }
}

const isIdle = (entry: Entry): boolean => !entry.cat?.pending && !entry.update?.pending
