import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'

/** The folder of a space's repository: the only place that knows where repositories lie. */
export const spaceFolder = (dataDir: string, spaceId: string): string =>
  join(dataDir, 'spaces', spaceId.slice(0, 2), `${spaceId}.git`)

/** The repository of a space. */
export const spaceRepository = (ctx: Context, spaceId: string): Repository => ({
  dir: spaceFolder(ctx.config.dataDir, spaceId),
  processes: ctx.processes,
})
