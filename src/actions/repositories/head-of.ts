import type { Context } from '../../context.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { primaryNow } from '../../git/refs/primary-now.ts'
import { readRef } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { spaceFolder } from './space-repository.ts'

const folderOf = (ctx: Context, spaceId: string) => ({
  dir: spaceFolder(ctx.config.dataDir, spaceId),
})

/**
 * Returns the head of a branch of a space, as Git has it now; undefined if the branch does not
 * exist. The only place that says where the primary content and the change requests of a space are.
 * Throws GitError like `readRef`.
 */
export const headOf = (ctx: Context, spaceId: string, ref: string): Oid | undefined =>
  readRef(folderOf(ctx, spaceId), ref)

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
