import type { Context } from '../../context.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findMirroredRef, findOnlyBranches } from '../../store/git/refs.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { changeRequestFolder } from '../repositories/ref-names.ts'
import { isCache } from '../repositories/repository-of.ts'

/**
 * Returns the last recorded head of the primary content of each space, by space id. Reads one query
 * for all spaces, and HEAD of those whose default branch was changed.
 */
export function recordedHeads(ctx: Context, spaceIds: readonly string[]): Map<string, Oid> {
  const heads = findOnlyBranches(ctx.store, spaceIds, changeRequestFolder)
  for (const id of spaceIds) {
    const head = heads.has(id) ? undefined : recordedHead(ctx, id)
    if (head !== undefined) heads.set(id, head)
  }
  return heads
}

function recordedHead(ctx: Context, spaceId: string): Oid | undefined {
  try {
    const ref = primaryRef(ctx, spaceId)
    return isCache(ctx) ? headOf(ctx, spaceId, ref) : findMirroredRef(ctx.store, spaceId, ref)
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}
