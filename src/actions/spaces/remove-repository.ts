import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { removePrints } from '../print/print-files.ts'
import { spaceFolder } from '../repositories/space-repository.ts'

/** Removes the repository and the PDF files of a space that no longer has a row. Idempotent, and safe to repeat after a crash. */
export async function removeRepository(ctx: Context, spaceId: string): Promise<void> {
  const dir = spaceFolder(ctx.config.dataDir, spaceId)
  // Renamed first: under its own name the repository is either whole or absent.
  const trash = `${dir}.trash`
  ctx.processes.closeRepository(dir)
  if (existsSync(dir)) {
    await rm(trash, { recursive: true, force: true })
    await rename(dir, trash)
  }
  await rm(trash, { recursive: true, force: true })
  await removePrints(ctx, spaceId)
}
