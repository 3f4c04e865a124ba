import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { randomId } from '../../lib/digest.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import { installObjects } from '../objects/install-objects.ts'
import { type NewObject, readCommit } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError, fileError } from '../values/errors.ts'
import { type MergeConflict, parseMergeTree } from '../values/parse-merge.ts'
import type { Quarantine } from './quarantine.ts'

export type { ConflictType, MergeConflict, Side } from '../values/parse-merge.ts'

export type MergeResult =
  | { clean: true; tree: Oid }
  /** `tree` contains the merged files, with conflict markers in those that could not be merged. */
  | { clean: false; tree: Oid; conflicts: MergeConflict[] }

/** Bounds merges with huge numbers of renames or huge files; the repository stays unchanged. */
const mergeLimitMs = 30_000

/** Merged files of more bytes together do not wait in memory. */
const mostHeldBytes = 32 * 1024 ** 2

/**
 * Merges two commits into a tree that is written into a quarantine. Without one nothing is written:
 * the tree is only an id. Conflict markers are labelled with the two ids. Throws GitError
 * 'unrelated' for histories without a common commit, 'not_found', 'timeout', 'no_space'.
 */
export async function mergeTrees(
  repo: Repository,
  ours: Oid,
  theirs: Oid,
  quarantine?: Quarantine,
): Promise<MergeResult> {
  // merge-tree writes into a folder of its own: a failed merge leaves nothing behind, and objects
  // that are kept are written as durably as all others.
  const objects = join(repo.dir, 'objects')
  const aside = join(objects, `tmp_objdir-merge-${randomId(10)}`)
  await mkdir(aside).catch(error => Promise.reject(fileError('merge', error)))

  try {
    const { code, stdout, stderr } = await runGit(
      repo,
      ['merge-tree', '--write-tree', '-z', ours, theirs],
      {
        env: { GIT_OBJECT_DIRECTORY: aside, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(objects) },
        config: [['core.fsync', 'none']],
        timeoutMs: mergeLimitMs,
      },
    )

    // Exit code 1 means a conflict, but also an unknown commit: only the output tells them apart.
    const parsed = code <= 1 ? parseMergeTree(stdout) : undefined
    if (!parsed) throw commandError('merge', code, stderr)
    if (quarantine) await takeObjects(repo, quarantine, await looseObjects(aside))

    return code === 0 ? { clean: true, tree: parsed.tree } : { clean: false, ...parsed }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/**
 * Puts objects into the quarantine. Further large files go into the repository: a file alone cannot
 * be faulty.
 */
async function takeObjects(
  repo: Repository,
  quarantine: Quarantine,
  objects: readonly NewObject[],
) {
  let held = 0
  for (const { oid, whole } of objects) {
    const bytes = await whole()
    const isFile = bytes.toString('latin1', 0, 5) === 'blob '
    if (isFile && held + bytes.length > mostHeldBytes) {
      await installObjects(repo, [{ oid, whole: () => bytes }])
      continue
    }
    await quarantine.writeWhole(oid, bytes)
    held += bytes.length
  }
}

/**
 * Returns the best common ancestor of two commits, undefined when there is none. Throws GitError
 * 'not_found'.
 */
export async function mergeBase(repo: Repository, a: Oid, b: Oid): Promise<Oid | undefined> {
  if (a === b) return a
  const { code, stdout, stderr } = await runGit(repo, ['merge-base', a, b])
  if (code === 0) return asOid(stdout.toString().trim())
  if (code === 1) return undefined
  throw commandError('find the common ancestor', code, stderr)
}

/**
 * Returns whether the first commit equals the second or is an ancestor of it. Throws GitError
 * 'not_found'.
 */
export async function isAncestor(
  repo: Repository,
  ancestor: Oid,
  descendant: Oid,
): Promise<boolean> {
  if (ancestor === descendant) return true
  // The most frequent case, for which the running reader is enough.
  if ((await readCommit(repo, descendant))?.parents.includes(ancestor)) return true
  const { code, stderr } = await runGit(repo, ['merge-base', '--is-ancestor', ancestor, descendant])
  if (code > 1) throw commandError('compare two commits', code, stderr)
  return code === 0
}

/** Quotes a path for a list that Git splits at colons. */
const quotePath = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`

async function looseObjects(folder: string): Promise<NewObject[]> {
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name))
    .map(name => ({
      oid: asOid(name.replace('/', '')),
      whole: async () => promisify(inflate)(await readFile(join(folder, name))),
    }))
}
