import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { spaceFolder } from '../repositories/space-repository.ts'

const markOf = (ctx: Context, spaceId: string): string =>
  join(spaceFolder(ctx.config.dataDir, spaceId), 'stemma-deleted')

/**
 * Writes into the repository of a deleted space when it was deleted. Rows from an older copy of the
 * database may have missed that the space was restored; the mark has not. Without it, the
 * repository is kept longer, so errors do no harm.
 */
export function writeDeletionMark(ctx: Context, spaceId: string, deletedAt: string): void {
  try {
    writeFileSync(markOf(ctx, spaceId), `${deletedAt}\n`, { mode: 0o600 })
  } catch {
    ctx.log.warn({ space: spaceId }, 'the deletion of a space could not be noted in its repository')
  }
}

/** Removes the mark of a space that is restored. Throws if it cannot be removed. */
export const removeDeletionMark = (ctx: Context, spaceId: string): void =>
  rmSync(markOf(ctx, spaceId), { force: true })

/** Returns when a space was deleted according to its repository; undefined if it was not. */
export function readDeletionMark(ctx: Context, spaceId: string): string | undefined {
  try {
    return readFileSync(markOf(ctx, spaceId), 'utf8').trim()
  } catch {
    return undefined
  }
}
