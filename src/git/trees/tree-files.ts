import { asOid, type Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { readObject, readTree } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { GitError } from '../values/errors.ts'
import type { TreeEntry } from '../values/parse.ts'

/**
 * A file in a tree. `mode` is '100644', '100755', '120000' (symbolic link) or '160000' (submodule).
 */
export type TreeFile = { path: string; mode: string; oid: Oid }

/** The files of a tree, and the number of entries left out because no text can name them. */
export type FileList = { files: TreeFile[]; unnamed: number }

/** Limits on a tree: entries (files and folders), depth, and bytes of a name and a path. */
const treeLimits = { entries: 100_000, depth: 64, name: 255, path: 1024 }

/**
 * Returns all files of a tree (or of a commit's tree), folder by folder. Only trees that are not
 * cached are read. Names that are not UTF-8, contain control characters or are too long are left
 * out and counted. Throws GitError 'too_many_files', 'too_deep', 'object_unreadable'.
 */
export const listFiles = async (repo: Repository, tree: Oid): Promise<FileList> =>
  listTree(oid => readTree(repo, oid), await treeOf(repo, tree))

type ReadTree = (oid: Oid) => Promise<readonly TreeEntry[]>

/** Returns all files of a tree, like `listFiles`, whose folders `read` returns. */
export async function listTree(read: ReadTree, tree: Oid): Promise<FileList> {
  const list: FileList = { files: [], unnamed: 0 }
  let folders: { prefix: string; oid: Oid }[] = [{ prefix: '', oid: tree }]
  let [entries, seen] = [0, 0]
  const pause = pauses()

  for (let depth = 0; folders.length > 0; depth++) {
    if (depth > treeLimits.depth)
      throw new GitError('too_deep', 'The folders are nested too deeply.')
    const trees = await readTrees(read, new Set(folders.map(folder => folder.oid)))
    await pause()
    const next: typeof folders = []

    for (const { prefix, oid } of folders) {
      const found = trees.get(oid) ?? []
      entries += found.length

      // A few objects can reference each other so often that they unfold into billions of paths.
      if (entries > treeLimits.entries)
        throw new GitError('too_many_files', 'There are too many files.', {
          limit: treeLimits.entries,
        })

      for (const entry of found) {
        const path = pathOf(prefix, entry)
        if (path === undefined) list.unnamed++
        else if (fileMode(entry) === folderMode) next.push({ prefix: `${path}/`, oid: entry.oid })
        else list.files.push({ path, mode: fileMode(entry), oid: entry.oid })
        if (++seen % 1024 === 0) await pause()
      }
    }

    folders = next
  }

  return list
}

/**
 * Returns the entry at a path (a file or a folder; '' is the tree itself), undefined when there is
 * none. Reads one tree per part of the path.
 */
export async function findEntry(
  repo: Repository,
  tree: Oid,
  path: string,
): Promise<TreeFile | undefined> {
  let at: TreeFile = { path, mode: folderMode, oid: await treeOf(repo, tree) }
  for (const part of path === '' ? [] : path.split('/')) {
    if (at.mode !== folderMode) return undefined
    const entry = (await readTree(repo, at.oid)).find(({ name }) => name === part)
    if (!entry) return undefined
    at = { path, mode: fileMode(entry), oid: entry.oid }
  }
  return at
}

/** The mode of a submodule, whose commit is in another repository. */
export const submoduleMode = '160000'
/** The mode of a folder. */
export const folderMode = '040000'

/** Returns the tree of a commit; a tree is returned as it is. */
export async function treeOf(repo: Repository, oid: Oid): Promise<Oid> {
  if (repo.processes.trees.get(oid)) return oid
  const object = await readObject(repo, oid)
  const named =
    object?.type === 'commit'
      ? /^tree ([0-9a-f]{40})\n/.exec(object.content.toString('latin1', 0, 46))
      : null
  return named?.[1] ? asOid(named[1]) : oid
}

async function readTrees(
  readTree: ReadTree,
  oids: Set<Oid>,
): Promise<Map<Oid, readonly TreeEntry[]>> {
  const trees = new Map<Oid, readonly TreeEntry[]>()
  const all = [...oids]
  for (let at = 0; at < all.length; at += 500) {
    const some = all.slice(at, at + 500)
    const read = await Promise.all(some.map(readTree))
    for (const [i, entries] of read.entries()) trees.set(some[i]!, entries)
  }
  return trees
}

/** Returns the path of an entry below a folder; undefined when no text can name it. */
export function pathOf(prefix: string, { name, raw }: TreeEntry): string | undefined {
  if (name === undefined || raw.length > treeLimits.name || /[\x00-\x1f\x7f]/.test(name))
    return undefined
  const path = prefix + name
  return path.length * 3 <= treeLimits.path || Buffer.byteLength(path) <= treeLimits.path
    ? path
    : undefined
}

/**
 * Returns the mode of an entry ('040000' for a folder), normalized as Git does: only the type and
 * the executable bit count. Git follows no entry of an unknown type, as if it were a submodule, so
 * its object may be one that no branch has.
 */
export function fileMode({ mode }: TreeEntry): string {
  const bits = Number.parseInt(mode, 8)
  const kind = bits & 0o170000
  if (kind === 0o040000) return folderMode
  if (kind === 0o120000) return '120000'
  if (kind !== 0o100000) return submoduleMode
  return bits & 0o100 ? '100755' : '100644'
}
