import { join } from 'node:path'
import type { Context } from '../../context.ts'

/**
 * Returns the folders of a repair: one for its work, deleted at its end, and one that keeps what is
 * damaged. `name` is of the repository.
 */
export function repairFolders(ctx: Context, name: string): { work: string; aside: string } {
  const own = `${name}-${ctx.now().getTime()}`
  const { dataDir } = ctx.config
  return { work: join(dataDir, 'repairing', own), aside: join(dataDir, 'damaged', own) }
}
