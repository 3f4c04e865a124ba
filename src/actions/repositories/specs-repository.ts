import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'

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
