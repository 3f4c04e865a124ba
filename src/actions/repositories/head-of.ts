import type { Context } from '../../context.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { primaryNow } from '../../git/refs/primary-now.ts'
import { readBranches } from '../../git/refs/read-branches.ts'
import { listRefs, readRef } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { repositoryFolder, repositoryOf } from './repository-of.ts'

/*
 * The only place that says where a ref of a space or of an organization's specs is. `key` names the
 * repository, as in `repositoryOf`.
 */

const folderOf = (ctx: Context, key: string) => ({ dir: repositoryFolder(ctx, key) })

/**
 * Returns what a ref points at, as Git has it now: a branch, the notes of page ids, a keep ref, the
 * branch of a spec; undefined if it does not exist. Throws GitError like `readRef`.
 */
export const headOf = (ctx: Context, key: string, ref: string): Oid | undefined =>
  readRef(folderOf(ctx, key), ref)

/**
 * Returns the refs below `prefix` (e.g. 'refs/heads/') by name, in one process. Throws GitError like
 * `listRefs`.
 */
export const headsBelow = (ctx: Context, key: string, prefix: string): Promise<Map<string, Oid>> =>
  listRefs(repositoryOf(ctx, key), prefix)

/** Returns all branches by their full names, without a process. Throws like `readBranches`. */
export const branchesOf = (ctx: Context, key: string): Map<string, Oid> =>
  readBranches(folderOf(ctx, key))

/**
 * Returns the branch of a space's primary content, a full ref. Throws GitError like
 * `defaultBranch`.
 */
export const primaryRef = (ctx: Context, spaceId: string): string =>
  defaultBranch(folderOf(ctx, spaceId))

/**
 * Returns a cheap check whether the primary content of a space is still at `head`, which never
 * throws.
 */
export function isPrimaryAt(ctx: Context, spaceId: string, head: Oid): () => boolean {
  const { dir } = folderOf(ctx, spaceId)
  return () => primaryNow(dir) === head
}

/**
 * Returns the head of a space's primary content as its files say now, without opening the space; ''
 * when it cannot be read. Never throws.
 */
export const primaryHeadNow = (ctx: Context, spaceId: string): Oid | '' =>
  primaryNow(folderOf(ctx, spaceId).dir)
