import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { removePrints } from '../print/print-files.ts'
import { spaceFolder } from '../repositories/space-repository.ts'

/** Removes the repository of a space that has no row any more, and what was made of it. Doing it again, or going on after a crash, is harmless. */
export async function removeRepository(ctx: Context, spaceId: string): Promise<void> {
  const dir = spaceFolder(ctx.config.dataDir, spaceId)
  // Under its own name it is whole or not there: nobody ever meets half a repository.
  const trash = `${dir}.trash`
  ctx.processes.closeRepository(dir)
  if (existsSync(dir)) {
    await rm(trash, { recursive: true, force: true })
    await rename(dir, trash)
  }
  await rm(trash, { recursive: true, force: true })
  await removePrints(ctx, spaceId)
}
