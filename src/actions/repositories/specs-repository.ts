import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { createRepository } from '../../git/repositories/repository.ts'
import { isOpened, markOpened, settleFolder } from './opened.ts'

/**
 * Returns the folder of an organization's specs repository. The only place that knows the layout.
 */
export const specsFolder = (dataDir: string, organizationId: string): string =>
  join(dataDir, 'specs', `${organizationId}.git`)

/**
 * Returns the repository of an organization's OpenAPI specs, with a branch per spec and a commit
 * per version. It does not exist before the first version of the first spec.
 */
export const specsRepository = (ctx: Context, organizationId: string): Repository => ({
  dir: specsFolder(ctx.config.dataDir, organizationId),
  processes: ctx.processes,
})

/** The target of HEAD. No spec has this branch, because none of them is the main one. */
export const noBranch = 'refs/heads/main'

/**
 * Returns the branch of a spec. The id makes it unique, so that a later spec with the same slug
 * starts empty.
 */
export const specBranch = ({ slug, id }: { slug: string; id: string }): string =>
  `refs/heads/${slug}.${id}`

const lockOf = (organizationId: string): string => `specs ${organizationId}`

/** Returns the repository of an organization's specs, and creates it if it does not exist. */
export async function openSpecsRepository(
  ctx: Context,
  organizationId: string,
): Promise<Repository> {
  await openSpecs(ctx, organizationId)
  return ctx.locks.run(lockOf(organizationId), async () => {
    const repo = specsRepository(ctx, organizationId)
    if (existsSync(repo.dir)) return repo
    return createRepository(ctx.processes, repo.dir, { defaultBranch: noBranch })
  })
}

/**
 * Removes what killed processes left in the repository of an organization's specs, once per
 * process, before its first write. A damaged repository is logged.
 */
export async function openSpecs(ctx: Context, organizationId: string): Promise<void> {
  const name = lockOf(organizationId)
  if (isOpened(ctx, name)) return
  await ctx.locks.run(name, async () => {
    if (isOpened(ctx, name)) return
    await settleFolder(ctx, specsRepository(ctx, organizationId)).catch(error =>
      ctx.log.error(
        { organization: organizationId, err: String(error) },
        'the repository of OpenAPI specs of an organization is damaged: run "stemma verify"',
      ),
    )
    markOpened(ctx, name)
  })
}
