import type { Oid } from '../../lib/oid.ts'
import { type ObjectType, readCommits, readObject, readTree } from '../objects/objects.ts'
import { packOf } from '../objects/pack.ts'
import { packEntry, treeDeltaEntry } from '../objects/pack-entry.ts'
import type { Repository } from '../process/processes.ts'
import { parseCommit, parseTree } from '../values/parse.ts'
import type { PackWish } from './pack-objects.ts'

type Known = { type: ObjectType; content: Buffer }

/** Objects in memory, by id. */
export type KnownObjects = ReadonlyMap<Oid, Known>

/** Git packs more bytes: it finds more deltas. */
const mostBytes = 256 * 1024
/** Smaller trees are packed whole, in bytes. */
const leastDelta = 512

/**
 * Returns a pack like that of `packObjects`, made from objects in memory without a process; undefined if
 * they may lack one that it needs: what is not among them must be in a tree of `haves`, at the same
 * place.
 */
export async function packKnown(
  repo: Repository,
  objects: KnownObjects,
  { wants, haves = [] }: PackWish,
): Promise<Buffer | undefined> {
  let bytes = 0
  for (const { content } of objects.values()) bytes += content.length
  if (bytes > mostBytes) return undefined
  const had = [...(await readCommits(repo, haves)).values()]
  const packing = new Packing(repo, objects)
  const roots = had.map(({ tree }) => tree)
  const isWhole = await packing.addCommits(wants, new Set(haves), roots)
  return isWhole ? packOf(packing.entries) : undefined
}

/** A pack under way. Its methods return false if an object is missing. */
class Packing {
  readonly entries: Buffer[] = []
  readonly #repo: Repository
  readonly #objects: KnownObjects
  readonly #packed = new Set<Oid>()

  constructor(repo: Repository, objects: KnownObjects) {
    this.#repo = repo
    this.#objects = objects
  }

  async addCommits(
    wants: readonly Oid[],
    had: ReadonlySet<Oid>,
    roots: readonly Oid[],
  ): Promise<boolean> {
    const pending = [...wants]
    for (const oid of pending) {
      if (had.has(oid) || this.#packed.has(oid)) continue
      const commit = await this.#add(oid, 'commit')
      if (!commit) return false
      const { tree, parents } = parseCommit(oid, commit.content)
      pending.push(...parents)
      if (!(await this.#addTree(tree, roots))) return false
    }
    return true
  }

  /** Adds a tree, of which the receiver has what `bases` have. */
  async #addTree(oid: Oid, bases: readonly Oid[]): Promise<boolean> {
    if (bases.includes(oid) || this.#packed.has(oid)) return true
    const tree = await this.#add(oid, 'tree', bases[0])
    if (!tree) return false
    const before = (await Promise.all(bases.map(base => readTree(this.#repo, base)))).flat()
    const there = new Set(before.map(entry => entry.oid))
    for (const { mode, oid: below, raw } of parseTree(tree.content)) {
      if (there.has(below) || this.#packed.has(below) || mode === '160000') continue
      const old = before.filter(entry => entry.mode === '40000' && entry.raw.equals(raw))
      const isAdded =
        mode === '40000'
          ? await this.#addTree(
              below,
              old.map(entry => entry.oid),
            )
          : await this.#add(below, 'blob')
      if (!isAdded) return false
    }
    return true
  }

  async #add(oid: Oid, type: ObjectType, base?: Oid): Promise<Known | undefined> {
    const object = this.#objects.get(oid)
    if (object?.type !== type) return undefined
    this.#packed.add(oid)
    const old =
      base !== undefined && object.content.length >= leastDelta
        ? await readObject(this.#repo, base)
        : undefined
    this.entries.push(
      old && base !== undefined
        ? await treeDeltaEntry(base, old.content, object.content)
        : await packEntry(object),
    )
    return object
  }
}
