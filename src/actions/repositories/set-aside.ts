import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { syncFolders } from '../../git/disk/durable.ts'

/** The folder, beside `spaces`, of repositories without a row. */
export const lostFolder = 'lost'

/**
 * Moves a repository without a row, given by its path relative to the data folder, into the folder
 * `lost`. It is kept there for 30 days, because the rows may be the ones that were lost. Does
 * nothing if it does not exist.
 */
export async function setAside(ctx: Context, path: string): Promise<void> {
  const { dataDir } = ctx.config
  if (!existsSync(join(dataDir, path))) return
  ctx.processes.closeRepository(join(dataDir, path))
  const to = join(lostFolder, `${path.split('/').at(-1)}-${ctx.now().getTime()}`)

  await mkdir(join(dataDir, lostFolder), { recursive: true, mode: 0o700 })
  await rename(join(dataDir, path), join(dataDir, to))
  await syncFolders([dataDir, join(dataDir, lostFolder), dirname(join(dataDir, path))])
  ctx.log.warn(
    { repository: path, now: to },
    'a repository without a space or organization was set aside',
  )
}
