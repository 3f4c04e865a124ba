import { emptyTree, type Oid } from '../../lib/oid.ts'
import { readTree } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit, streamGit } from '../process/run.ts'
import { commandError, GitError } from '../values/errors.ts'
import type { TreeEntry } from '../values/parse.ts'
import { parseRawDiff, type TreeChange } from '../values/parse-diff.ts'
import { fileMode, folderMode, treeOf } from './tree-files.ts'

export type { ChangeStatus, TreeChange } from '../values/parse-diff.ts'

/** Diffs with more files than this are refused. */
const maxChanges = 200_000

/**
 * Returns the files that differ between two commits or trees (null: empty), ordered by path. With
 * `renames`, a deleted and an added file with similar content count as one change. Names that are
 * not UTF-8 are left out. Throws GitError 'object_unreadable', 'too_many_files', 'timeout'.
 */
export async function diffTrees(
  repo: Repository,
  a: Oid | null,
  b: Oid,
  { renames = false }: { renames?: boolean } = {},
): Promise<TreeChange[]> {
  const changes = await compare(repo, a, b)
  const have = (status: TreeChange['status']) => changes.some(change => change.status === status)

  // Most changes only edit pages: without both an addition and a deletion there is no rename, so no
  // process is needed.
  if (!renames || !have('added') || !have('deleted')) return changes

  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '-M',
    '--end-of-options',
    a ?? emptyTree,
    b,
  ]
  const { code, stdout, stderr } = await runGit(repo, args)
  if (code !== 0) throw commandError('compare', code, stderr)

  return parseRawDiff(stdout)
}

type DiffOptions = {
  /** Restricts the diff to this file or folder. */
  path?: string
  /** Bytes after which GitError 'too_large' is thrown. Default 1 MiB. */
  maxBytes?: number
  /** Lines around each change. Default 3. */
  context?: number
  /** Ends the command, with GitError 'aborted'. */
  signal?: AbortSignal | undefined
}

/**
 * Yields the unified diff between two commits or trees in chunks, as `git apply` accepts it.
 * Renames are detected. Throws GitError 'too_large' after `maxBytes`, 'not_found', 'timeout'.
 */
export const streamDiff = (
  repo: Repository,
  a: Oid | null,
  b: Oid,
  { path, maxBytes = 1024 * 1024, context = 3, signal }: DiffOptions = {},
): AsyncGenerator<Buffer, void, undefined> =>
  streamGit(
    repo,
    [
      'diff-tree',
      '-r',
      '-p',
      '-M',
      '--full-index',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      `-U${Math.trunc(context)}`,
      '--end-of-options',
      a ?? emptyTree,
      b,
      '--',
      ...(path === undefined ? [] : [path]),
    ],
    { maxStdout: maxBytes, ...(signal && { signal }) },
    (code, stderr) => commandError('compare', code, stderr),
  )

type Pair = { prefix: string; old: Oid | null; new: Oid | null }

/** Compares level by level, descending only into folders that differ. */
async function compare(repo: Repository, a: Oid | null, b: Oid): Promise<TreeChange[]> {
  const changes: TreeChange[] = []
  const [old, now] = await Promise.all([a && treeOf(repo, a), treeOf(repo, b)])
  let pairs: Pair[] = old === now ? [] : [{ prefix: '', old, new: now }]

  while (pairs.length > 0) {
    const next: Pair[] = []
    for (let at = 0; at < pairs.length; at += 200) {
      const some = pairs.slice(at, at + 200)
      const read = await Promise.all(
        some.map(pair => Promise.all([entriesOf(repo, pair.old), entriesOf(repo, pair.new)])),
      )
      for (const [i, [before, after]] of read.entries())
        compareEntries(some[i]!.prefix, before, after, changes, next)
      if (changes.length + next.length > maxChanges)
        throw new GitError('too_many_files', 'Too many files differ.', { limit: maxChanges })
    }

    pairs = next
  }

  return changes.sort((x, y) => (x.path < y.path ? -1 : x.path > y.path ? 1 : 0))
}

const entriesOf = async (repo: Repository, oid: Oid | null) => (oid ? readTree(repo, oid) : [])

function compareEntries(
  prefix: string,
  before: readonly TreeEntry[],
  after: readonly TreeEntry[],
  changes: TreeChange[],
  next: Pair[],
): void {
  const olds = new Map(before.map(entry => [entry.name, entry]))
  for (const entry of after) {
    if (entry.name === undefined) continue
    const old = olds.get(entry.name)
    olds.delete(entry.name)
    if (old?.oid !== entry.oid || old.mode !== entry.mode)
      compareEntry(prefix, entry.name, old, entry, changes, next)
  }

  for (const [name, old] of olds)
    if (name !== undefined) compareEntry(prefix, name, old, undefined, changes, next)
}

function compareEntry(
  prefix: string,
  name: string,
  old: TreeEntry | undefined,
  now: TreeEntry | undefined,
  changes: TreeChange[],
  next: Pair[],
): void {
  const path = prefix + name
  const folder = (entry: TreeEntry | undefined) =>
    entry && fileMode(entry) === folderMode ? entry.oid : null
  const file = (entry: TreeEntry | undefined) =>
    entry && fileMode(entry) !== folderMode ? entry : undefined
  if (folder(old) || folder(now))
    next.push({ prefix: `${path}/`, old: folder(old), new: folder(now) })

  const [was, is] = [file(old), file(now)]
  const before = was && { oldOid: was.oid, oldMode: fileMode(was) }
  const after = is && { newOid: is.oid, newMode: fileMode(is) }

  if (before && after) {
    if (before.oldOid !== after.newOid || before.oldMode !== after.newMode)
      changes.push({ status: 'modified', path, ...before, ...after })
  } else if (after) changes.push({ status: 'added', path, ...after })
  else if (before) changes.push({ status: 'deleted', path, ...before })
}
