import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { removeImages } from '../made-files/image-files.ts'
import { removePrints } from '../made-files/print-files.ts'
import { mayDestroy } from '../may-destroy.ts'
import { forgetOpened } from '../repositories/opened.ts'
import { isCache } from '../repositories/repository-of.ts'
import { setAside } from '../repositories/set-aside.ts'
import { spaceFolder } from '../repositories/space-repository.ts'
import { purgeTime } from './delete-space.ts'
import { readDeletionMark } from './deletion-mark.ts'

/**
 * Removes the repository and the PDF files of a space without a row, which this process created and
 * could not complete, or whose deletion its mark confirms. Idempotent, and safe to repeat after a
 * crash.
 */
export async function removeRepository(ctx: Context, spaceId: string): Promise<void> {
  const dir = spaceFolder(ctx.config.dataDir, spaceId)
  // Renamed first: under its own name the repository is either whole or absent.
  const trash = `${dir}.trash`
  ctx.processes.closeRepository(dir)
  forgetOpened(ctx, spaceId)

  if (existsSync(dir)) {
    await rm(trash, { recursive: true, force: true })
    await rename(dir, trash)
  }

  await rm(trash, { recursive: true, force: true })
  await removePrints(ctx, spaceId)
  await removeImages(ctx, spaceId)
}

/**
 * Removes the repository of a purged space if its deletion mark confirms that the space was deleted
 * and that its retention time is over. Otherwise the rows may be those of an older copy of the
 * database: the repository is set aside for 30 days.
 */
export async function removePurged(ctx: Context, spaceId: string): Promise<void> {
  if (isCache(ctx)) return removeRepository(ctx, spaceId)
  const deletedAt = readDeletionMark(ctx, spaceId)
  if (
    deletedAt === undefined ||
    !(purgeTime(deletedAt) <= ctx.now().getTime()) ||
    !mayDestroy(ctx, 'deleted spaces')
  )
    await setSpaceAside(ctx, spaceId)
  await removeRepository(ctx, spaceId)
}

/**
 * Clears the way for a space with this id: sets aside its repository and removes incomplete ones.
 * They exist if a server was killed before it inserted the row, and the client repeats the request
 * with the same key.
 */
export const setLeftoverAside = (ctx: Context, spaceId: string): Promise<void> =>
  ctx.locks.run(spaceId, async () => {
    if (findSpace(ctx.store, spaceId)) return
    await removeIncomplete(spaceFolder(ctx.config.dataDir, spaceId))
    await setSpaceAside(ctx, spaceId)
  })

/** Removes the folders in which the repository at `dir` was being built. */
async function removeIncomplete(dir: string): Promise<void> {
  const names = await readdir(dirname(dir)).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(dir)}.new-`))
      await rm(join(dirname(dir), name), { recursive: true, force: true })
}

async function setSpaceAside(ctx: Context, spaceId: string): Promise<void> {
  const { dataDir } = ctx.config
  forgetOpened(ctx, spaceId)
  await setAside(ctx, relative(dataDir, spaceFolder(dataDir, spaceId)))
}
