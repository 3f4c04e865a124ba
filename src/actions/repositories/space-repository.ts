import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'

/** Returns the folder of a space's repository. The only place that knows the layout. */
export const spaceFolder = (dataDir: string, spaceId: string): string =>
  join(dataDir, 'spaces', spaceId.slice(0, 2), `${spaceId}.git`)

/** Returns the repository of a space. */
export const spaceRepository = (ctx: Context, spaceId: string): Repository => ({
  dir: spaceFolder(ctx.config.dataDir, spaceId),
  processes: ctx.processes,
})
