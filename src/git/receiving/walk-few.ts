import type { Oid } from '../../lib/oid.ts'
import { objectInfo, readCommit, readTree } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { fileMode, folderMode, submoduleMode } from '../trees/tree-files.ts'
import { GitError, isGitError } from '../values/errors.ts'
import type { Commit, TreeEntry } from '../values/parse.ts'
import type { PackIds } from './pack-ids.ts'

export type ClosureOptions = {
  /** The commits that branches shall move to. */
  tips: readonly Oid[]
  /** The commits of the branches that the sender sees. */
  visible: readonly Oid[]
  pack: Pick<PackIds, 'size' | 'has'>
  /** The most bytes of a file. */
  fileBytes: number
  signal?: AbortSignal | undefined
}

/** A pack of more objects is walked by a process, which is then faster. */
const fewObjects = 300
/** The most entries of trees that are read, since each takes time of the event loop. */
const fewEntries = 5_000
/** The most visible commits whose trees are compared with the new ones. */
const mostBases = 2

/** Something new that is not in the pack, or not what it is said to be: a process must walk. */
class Unclear extends Error {}

/**
 * New commits with their parents, without root commits, and the number of the pack's objects that
 * the tips lead to.
 */
export type WalkedPack = { parents: Map<Oid, readonly Oid[]>; objects: number }

/**
 * Checks the closure of a small pack without a process, where this is simple: new commits follow
 * visible commits or each other, and what their trees contain is in the pack or stands in the same
 * place in a visible commit that they follow. Returns undefined where the check is not so simple or
 * fails.
 */
export async function walkFew(
  repo: Repository,
  options: ClosureOptions,
): Promise<WalkedPack | undefined> {
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
  #entries = 0

  constructor(repo: Repository, options: ClosureOptions) {
    this.#repo = repo
    this.#options = options
  }

  async run(): Promise<WalkedPack> {
    const seen = new Set(this.#options.visible)
    const followed = new Set<Oid>()
    const fresh = new Map<Oid, Commit>()
    const next = new Set(this.#options.tips.filter(oid => !seen.has(oid)))

    for (const oid of next) {
      const commit = await this.#commit(oid)
      fresh.set(oid, commit)
      for (const parent of commit.parents) (seen.has(parent) ? followed : next).add(parent)
    }

    // Only visible trees: a new tree could be justified by another one, and that one by the first.
    const some = [...followed].slice(0, mostBases)
    const bases = await Promise.all(some.map(each => this.#treeOf(each)))

    for (const { tree } of fresh.values()) await this.#tree(tree, bases)
    await this.#checkBlobs()
    const withParents = [...fresh].filter(([, { parents }]) => parents.length > 0)

    return {
      parents: new Map(withParents.map(([oid, { parents }]) => [oid, parents])),
      objects: fresh.size + this.#trees.size + this.#blobs.size,
    }
  }

  async #commit(oid: Oid): Promise<Commit> {
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

  /** Checks a tree against those that stand in its place in visible commits. */
  async #tree(oid: Oid, bases: readonly Oid[]): Promise<void> {
    if (bases.includes(oid) || this.#trees.has(oid)) return
    if (this.#options.signal?.aborted) throw new GitError('aborted', 'The work was cancelled.')
    this.#inPack(oid)
    this.#trees.add(oid)
    const entries = await this.#read(oid)
    const old: (readonly TreeEntry[])[] = []

    for (const base of bases) old.push(await this.#read(base))
    const before = groupByName(old.flat())

    for (const entry of entries) {
      const known = (entry.name !== undefined && before.get(entry.name)) || []
      const mode = fileMode(entry)
      const same = known.filter(each => fileMode(each) === mode)

      if (mode === folderMode)
        await this.#tree(
          entry.oid,
          same.map(each => each.oid),
        )
      else this.#file(entry, mode, same)
    }
  }

  async #read(oid: Oid): Promise<readonly TreeEntry[]> {
    const entries = await readTree(this.#repo, oid)
    this.#entries += entries.length
    if (this.#entries > fewEntries) throw new Unclear()
    return entries
  }

  #file({ oid }: TreeEntry, mode: string, same: readonly TreeEntry[]): void {
    // Nothing follows a submodule: its commit is in another repository.
    if (mode === submoduleMode || same.some(each => each.oid === oid)) return
    this.#inPack(oid)
    this.#blobs.add(oid)
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

function groupByName(entries: readonly TreeEntry[]): Map<string, TreeEntry[]> {
  const groups = new Map<string, TreeEntry[]>()
  for (const entry of entries) {
    if (entry.name === undefined) continue
    const group = groups.get(entry.name)
    if (group) group.push(entry)
    else groups.set(entry.name, [entry])
  }
  return groups
}
