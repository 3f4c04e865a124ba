import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { randomId } from '../lib/digest.ts'
import { commandError, fileError } from './errors.ts'
import { installObjects } from './install-objects.ts'
import type { NewObject } from './objects.ts'
import { asOid, type Oid } from './oid.ts'
import { type MergeConflict, parseMergeTree } from './parse-merge.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

export type { ConflictType, MergeConflict, Side } from './parse-merge.ts'

export type MergeResult =
  | { clean: true; tree: Oid }
  /** `tree` holds the merged files, with conflict markers in those that could not be merged. */
  | { clean: false; tree: Oid; conflicts: MergeConflict[] }

/** Rename storms and huge files end here; nothing was changed then. */
const mergeLimitMs = 30_000

/**
 * Merges two commits into a tree, in the repository's objects and nowhere else. With `preview` even those are
 * left alone: the tree is only an id then. Conflict markers are labelled with the two ids. Throws GitError
 * 'unrelated' for histories without a common commit, 'not_found', 'timeout', 'no_space'.
 */
export async function mergeTrees(
  repo: Repository,
  ours: Oid,
  theirs: Oid,
  { preview = false }: { preview?: boolean } = {},
): Promise<MergeResult> {
  // What merge-tree writes goes to a folder of its own: a merge that fails, or is only tried, leaves nothing
  // behind,
  // and what stays is written as durably as everything else.
  const objects = join(repo.dir, 'objects')
  const aside = join(objects, `tmp_objdir-merge-${randomId(10)}`)
  await mkdir(aside).catch(error => Promise.reject(fileError('merge', error)))
  try {
    const { code, stdout, stderr } = await runGit(repo, ['merge-tree', '--write-tree', '-z', ours, theirs], {
      env: { GIT_OBJECT_DIRECTORY: aside, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(objects) },
      config: [['core.fsync', 'none']],
      timeoutMs: mergeLimitMs,
    })
    // Exit code 1 means a conflict, but also an unknown commit: only what it wrote tells.
    const parsed = code <= 1 ? parseMergeTree(stdout) : undefined
    if (!parsed) throw commandError('merge', code, stderr)
    if (!preview) await installObjects(repo, await looseObjects(aside))
    return code === 0 ? { clean: true, tree: parsed.tree } : { clean: false, ...parsed }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** The best common ancestor of two commits, undefined when they have none. Throws GitError 'not_found'. */
export async function mergeBase(repo: Repository, a: Oid, b: Oid): Promise<Oid | undefined> {
  if (a === b) return a
  const { code, stdout, stderr } = await runGit(repo, ['merge-base', a, b])
  if (code === 0) return asOid(stdout.toString().trim())
  if (code === 1) return undefined
  throw commandError('find the common ancestor', code, stderr)
}

/** Whether one commit is the other or an ancestor of it. Throws GitError 'not_found'. */
export async function isAncestor(repo: Repository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true
  const { code, stderr } = await runGit(repo, ['merge-base', '--is-ancestor', ancestor, descendant])
  if (code > 1) throw commandError('compare two commits', code, stderr)
  return code === 0
}

/** A path in a list that Git splits at colons. */
export const quotePath = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`

async function looseObjects(folder: string): Promise<NewObject[]> {
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name))
    .map(name => ({
      oid: asOid(name.replace('/', '')),
      whole: async () => promisify(inflate)(await readFile(join(folder, name))),
    }))
}
