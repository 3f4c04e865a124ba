import type { Context } from '../../context.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { primaryNow } from '../../git/refs/primary-now.ts'
import { readBranches } from '../../git/refs/read-branches.ts'
import { listRefs, readRef } from '../../git/refs/refs.ts'
import { GitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findGitStateAndRefs, type GitStateAndRefs } from '../../store/cluster/git-state.ts'
import { findMirroredRef, listMirroredRefs } from '../../store/git/refs.ts'
import { identityRef } from './ref-names.ts'
import { isCache, repositoryFolder, repositoryOf } from './repository-of.ts'

/*
 * The only place that says where a ref of a space or of an organization's specs is: in Git, or, where
 * nodes share the repository, in rows. `key` names the repository, as in `repositoryOf`.
 */

const folderOf = (ctx: Context, key: string) => ({ dir: repositoryFolder(ctx, key) })

/**
 * Returns what a ref points at now: a branch, the notes of page ids, a keep ref, the branch of a
 * spec; undefined if it does not exist. Throws GitError like `readRef`.
 */
export const headOf = (ctx: Context, key: string, ref: string): Oid | undefined =>
  isCache(ctx) ? refInRows(ctx, key, ref) : readRef(folderOf(ctx, key), ref)

/**
 * Returns the state of a repository that nodes share, from the cache while it stays the same; undefined: it does
 * not exist. The refs that nearly every request asks for are read with it.
 */
export const stateOf = ({ store }: Context, key: string): GitStateAndRefs | undefined =>
  store.remember(`git state ${key}`, () => findGitStateAndRefs(store, key, identityRef), {
    spaceId: key,
  })

function refInRows(ctx: Context, key: string, ref: string): Oid | undefined {
  const state = stateOf(ctx, key)
  if (ref === state?.head) return state.head_oid ?? undefined
  if (state && ref === identityRef) return state.ref_oid ?? undefined
  return findMirroredRef(ctx.store, key, ref)
}

/**
 * Returns the refs below `prefix` (e.g. 'refs/heads/') by name, in one process. Throws GitError like
 * `listRefs`.
 */
export const headsBelow = async (
  ctx: Context,
  key: string,
  prefix: string,
): Promise<Map<string, Oid>> =>
  isCache(ctx)
    ? rowsBelow(ctx, key, prefix.replace(/\/*$/, '/'))
    : listRefs(repositoryOf(ctx, key), prefix)

/** Returns all branches by their full names, without a process. Throws like `readBranches`. */
export const branchesOf = (ctx: Context, key: string): Map<string, Oid> =>
  isCache(ctx) ? rowsBelow(ctx, key, 'refs/heads/') : readBranches(folderOf(ctx, key))

const rowsBelow = ({ store }: Context, key: string, prefix: string): Map<string, Oid> =>
  store.remember(`refs ${key} ${prefix}`, () => listMirroredRefs(store, key, prefix), {
    spaceId: key,
  })

/**
 * Returns the branch of a space's primary content, a full ref. Throws GitError like
 * `defaultBranch`.
 */
export const primaryRef = (ctx: Context, spaceId: string): string =>
  isCache(ctx) ? primaryInRows(ctx, spaceId) : defaultBranch(folderOf(ctx, spaceId))

function primaryInRows(ctx: Context, spaceId: string): string {
  const state = stateOf(ctx, spaceId)
  if (!state) throw new GitError('not_found', 'The repository does not exist.')
  return state.head
}

/**
 * Returns a cheap check whether the primary content of a space is still at `head`, which never
 * throws.
 */
export function isPrimaryAt(ctx: Context, spaceId: string, head: Oid): () => boolean {
  if (isCache(ctx)) return () => primaryHeadNow(ctx, spaceId) === head
  const { dir } = folderOf(ctx, spaceId)
  return () => primaryNow(dir) === head
}

/**
 * Returns the head of a space's primary content as its files or rows say now, without opening the
 * space; '' when it cannot be read. Never throws.
 */
export function primaryHeadNow(ctx: Context, spaceId: string): Oid | '' {
  if (!isCache(ctx)) return primaryNow(folderOf(ctx, spaceId).dir)
  try {
    return refInRows(ctx, spaceId, primaryInRows(ctx, spaceId)) ?? ''
  } catch {
    return ''
  }
}
