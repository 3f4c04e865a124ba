import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { createRepository } from '../../git/repositories/repository.ts'

/** The folder of an organization's repository of OpenAPI descriptions: the only place that knows where these lie. */
export const specsFolder = (dataDir: string, organizationId: string): string =>
  join(dataDir, 'specs', `${organizationId}.git`)

/**
 * The repository of an organization's OpenAPI descriptions: a branch each, a commit each version. There is none before
 * the first version of the first description.
 */
export const specsRepository = (ctx: Context, organizationId: string): Repository => ({
  dir: specsFolder(ctx.config.dataDir, organizationId),
  processes: ctx.processes,
})

/** What HEAD names: no description has it, for each of them is as good as the others. */
export const noBranch = 'refs/heads/main'

/** The branch of a description. With its id in the name, one that comes later under the same slug begins anew. */
export const specBranch = ({ slug, id }: { slug: string; id: string }): string => `refs/heads/${slug}.${id}`

/** The same repository, made when it is not there yet. */
export const openSpecsRepository = (ctx: Context, organizationId: string): Promise<Repository> =>
  ctx.locks.run(`specs ${organizationId}`, async () => {
    const repo = specsRepository(ctx, organizationId)
    if (existsSync(repo.dir)) return repo
    return createRepository(ctx.processes, repo.dir, { defaultBranch: noBranch })
  })
