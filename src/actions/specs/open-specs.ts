import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { catchUp, catchUpForChange } from '../catch-up/catch-up.ts'
import { isReadOnly, settleLeftovers } from '../journal/settle-intent.ts'
import { isOpened, markOpened, settleFolder } from '../repositories/opened.ts'
import { isCache, specsKey } from '../repositories/repository-of.ts'
import { specsRepository } from '../repositories/specs-repository.ts'

/**
 * Runs `work` under the lock of the repository of an organization's OpenAPI specs, which may not
 * exist yet: every writer to it takes the lock here. The first one opens the repository. Throws
 * Fault 'unavailable' if an interrupted write cannot be settled.
 */
export function lockSpecs<Result>(
  ctx: Context,
  organizationId: string,
  work: (repo: Repository) => Promise<Result>,
): Promise<Result> {
  const key = specsKey(organizationId)
  const repo = specsRepository(ctx, organizationId)
  return ctx.locks.run(key, async () => {
    if (isCache(ctx)) await catchUpForChange(ctx, key)
    else if (!isOpened(ctx, key)) await open(ctx, organizationId)
    await settleLeftovers(ctx, repo, key)
    return work(repo)
  })
}

/**
 * Opens the repository of an organization's OpenAPI specs unless this process has opened it.
 * Readers call it before they read a file. Takes the lock only to open it.
 */
export async function openSpecs(ctx: Context, organizationId: string): Promise<void> {
  const key = specsKey(organizationId)
  if (isCache(ctx)) return catchUp(ctx, key)
  if (isOpened(ctx, key)) return
  await ctx.locks.run(key, async () => {
    if (!isOpened(ctx, key)) await open(ctx, organizationId)
  })
}

/**
 * Removes what killed processes left, and settles interrupted writes. Hold the lock. A damaged
 * repository is logged; specs are then served if they can be read.
 */
async function open(ctx: Context, organizationId: string): Promise<void> {
  const key = specsKey(organizationId)
  const repo = specsRepository(ctx, organizationId)

  try {
    await settleFolder(ctx, repo)
    await settleLeftovers(ctx, repo, key)
  } catch (error) {
    // A write that cannot be finished is already logged.
    if (!isReadOnly(error))
      ctx.log.error(
        { organization: organizationId, err: String(error) },
        'the repository of OpenAPI specs of an organization is damaged: run "stemma verify"',
      )
  }

  markOpened(ctx, key)
}
