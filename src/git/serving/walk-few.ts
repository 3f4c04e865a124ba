import { objectInfo, readCommit, readTree } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { fileMode, folderMode } from '../trees/tree-files.ts'
import { isGitError } from '../values/errors.ts'
import type { Oid } from '../values/oid.ts'
import type { TreeEntry } from '../values/parse.ts'
import type { PackIds } from './pack-ids.ts'

export type ClosureOptions = {
  /** The commits that branches shall move to. */
  tips: readonly Oid[]
  /** The commits of the branches that the sender sees. */
  visible: readonly Oid[]
  pack: PackIds
  /** The most bytes of a file. */
  fileBytes: number
  signal?: AbortSignal | undefined
}

/** A pack of more objects is walked by a process, which is then faster. */
const fewObjects = 300
/** The most parents of a commit whose trees are compared with its own. */
const mostBases = 2
const submoduleMode = '160000'

/** Something new that is not in the pack, or not what it is said to be: a process must walk. */
class Unclear extends Error {}

/**
 * Checks the closure of a small pack without a process, where this is simple: new commits follow visible commits or each
 * other, and what their trees contain is in the pack or stands in the same place in a parent. Returns the new commits
 * with their parents, or undefined where the check is not so simple or fails.
 */
export async function walkFew(
  repo: Repository,
  options: ClosureOptions,
): Promise<Map<Oid, readonly Oid[]> | undefined> {
  if (options.pack.size > fewObjects) return undefined
  try {
    return await new Walk(repo, options).run()
  } catch (error) {
    if (error instanceof Unclear) return undefined
    if (isGitError(error) && (error.code === 'object_unreadable' || error.code === 'too_large'))
      return undefined
    throw error
  }
}

class Walk {
  readonly #repo: Repository
  readonly #options: ClosureOptions
  /** Trees that were checked, or are being checked. */
  readonly #trees = new Set<Oid>()
  readonly #blobs = new Set<Oid>()

  constructor(repo: Repository, options: ClosureOptions) {
    this.#repo = repo
    this.#options = options
  }

  async run(): Promise<Map<Oid, readonly Oid[]>> {
    const { tips, visible } = this.#options
    const seen = new Set(visible)
    const parents = new Map<Oid, readonly Oid[]>()
    const fresh = new Set(tips.filter(oid => !seen.has(oid)))
    for (const oid of fresh) {
      const commit = await this.#commit(oid)
      if (commit.parents.length > 0) parents.set(oid, commit.parents)
      for (const parent of commit.parents) if (!seen.has(parent)) fresh.add(parent)
      const bases = await Promise.all(commit.parents.slice(0, mostBases).map(each => this.#treeOf(each)))
      await this.#tree(commit.tree, bases)
    }
    await this.#checkBlobs()
    return parents
  }

  async #commit(oid: Oid) {
    this.#inPack(oid)
    const commit = await readCommit(this.#repo, oid)
    // A tag is followed to its commit.
    if (commit?.oid !== oid) throw new Unclear()
    return commit
  }

  async #treeOf(oid: Oid): Promise<Oid> {
    const commit = await readCommit(this.#repo, oid)
    if (!commit) throw new Unclear()
    return commit.tree
  }

  /** Checks a tree against those that stand in its place in the parents. */
  async #tree(oid: Oid, bases: readonly Oid[]): Promise<void> {
    if (bases.includes(oid) || this.#trees.has(oid)) return
    this.#inPack(oid)
    this.#trees.add(oid)
    const entries = await readTree(this.#repo, oid)
    const old = await Promise.all(bases.map(async base => byName(await readTree(this.#repo, base))))
    for (const entry of entries) {
      const before = old.flatMap(each => (entry.name === undefined ? [] : (each.get(entry.name) ?? [])))
      await this.#entry(entry, before)
    }
  }

  async #entry(entry: TreeEntry, before: readonly TreeEntry[]): Promise<void> {
    const mode = fileMode(entry)
    if (mode === submoduleMode) return
    if (mode === folderMode) {
      const folders = before.filter(each => fileMode(each) === folderMode)
      return this.#tree(
        entry.oid,
        folders.map(({ oid }) => oid),
      )
    }
    const isFile = (each: TreeEntry) => ![folderMode, submoduleMode].includes(fileMode(each))
    if (before.some(each => each.oid === entry.oid && isFile(each))) return
    this.#inPack(entry.oid)
    this.#blobs.add(entry.oid)
  }

  async #checkBlobs(): Promise<void> {
    const found = await objectInfo(this.#repo, [...this.#blobs])
    for (const oid of this.#blobs) {
      const info = found.get(oid)
      if (info?.type !== 'blob' || info.size > this.#options.fileBytes) throw new Unclear()
    }
  }

  #inPack(oid: Oid): void {
    if (!this.#options.pack.has(oid)) throw new Unclear()
  }
}

const byName = (entries: readonly TreeEntry[]): Map<string | undefined, TreeEntry> =>
  new Map(entries.map(entry => [entry.name, entry]))
