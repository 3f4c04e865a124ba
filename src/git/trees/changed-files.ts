import type { Oid } from '../../lib/oid.ts'
import { readTree } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import type { TreeEntry } from '../values/parse.ts'
import { fileMode, folderMode, pathOf, type TreeFile } from './tree-files.ts'

/**
 * A file that differs between two trees; `before` or `after` is missing when it was added or
 * deleted.
 */
export type ChangedFile = { path: string; before?: TreeFile; after?: TreeFile }

type Pair = { prefix: string; old: Oid | undefined; now: Oid | undefined }

/**
 * Returns the files that differ between two trees. Undefined when there are more than `most`, or
 * when one has no usable name: only a full listing reports those. Reads only the folders that
 * differ.
 */
export async function changedFiles(
  repo: Repository,
  before: Oid,
  after: Oid,
  most: number,
): Promise<ChangedFile[] | undefined> {
  const changes: ChangedFile[] = []
  let pairs: Pair[] = before === after ? [] : [{ prefix: '', old: before, now: after }]
  while (pairs.length > 0) {
    if (changes.length + pairs.length > most) return undefined
    const next: Pair[] = []
    for (const { prefix, old, now } of pairs) {
      const [was, is] = await Promise.all([entriesOf(repo, old), entriesOf(repo, now)])
      for (const [a, b] of differing(was, is)) {
        const path = pathOf(prefix, (a ?? b)!)
        if (path === undefined || changes.length > most) return undefined
        const [fileA, fileB] = [fileOf(path, a), fileOf(path, b)]
        const [folderA, folderB] = [folderOf(a), folderOf(b)]
        if (fileA || fileB)
          changes.push({ path, ...(fileA && { before: fileA }), ...(fileB && { after: fileB }) })
        if (folderA || folderB) next.push({ prefix: `${path}/`, old: folderA, now: folderB })
      }
    }

    pairs = next
  }

  return changes
}

const entriesOf = async (repo: Repository, oid: Oid | undefined): Promise<readonly TreeEntry[]> =>
  oid ? readTree(repo, oid) : []

function fileOf(path: string, entry: TreeEntry | undefined): TreeFile | undefined {
  const mode = entry && fileMode(entry)
  return mode && mode !== folderMode ? { path, mode, oid: entry.oid } : undefined
}

const folderOf = (entry: TreeEntry | undefined): Oid | undefined =>
  entry && fileMode(entry) === folderMode ? entry.oid : undefined

/**
 * Pairs the differing entries of two folders by name. Equal entries at both ends are skipped first:
 * most of a large folder is unchanged.
 */
function differing(
  was: readonly TreeEntry[],
  is: readonly TreeEntry[],
): [TreeEntry | undefined, TreeEntry | undefined][] {
  const same = (a: TreeEntry, b: TreeEntry) =>
    a.oid === b.oid && a.mode === b.mode && a.raw.equals(b.raw)
  const shortest = Math.min(was.length, is.length)
  let start = 0
  while (start < shortest && same(was[start]!, is[start]!)) start++
  let tail = 0

  while (tail < shortest - start && same(was.at(-1 - tail)!, is.at(-1 - tail)!)) tail++
  const olds = new Map<string, TreeEntry>()

  for (const entry of was.slice(start, was.length - tail))
    olds.set(entry.raw.toString('latin1'), entry)
  const pairs: [TreeEntry | undefined, TreeEntry | undefined][] = []

  for (const entry of is.slice(start, is.length - tail)) {
    const name = entry.raw.toString('latin1')
    const old = olds.get(name)
    olds.delete(name)
    if (!old || old.oid !== entry.oid || old.mode !== entry.mode) pairs.push([old, entry])
  }

  for (const old of olds.values()) pairs.push([old, undefined])

  return pairs
}
