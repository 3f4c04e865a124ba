import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { Failure } from './failure.ts'
import { readSettings } from './settings.ts'

/**
 * Opens the data folder that STEMMA_DATA names for some work, beside a server that may run on it, and closes it again.
 * Throws Failure when there is none: a command must not make one where a path was mistyped.
 */
export async function withFolder<Result>(work: (ctx: Context) => Promise<Result> | Result): Promise<Result> {
  const config = readSettings()
  const { dataDir } = config
  if (!existsSync(join(dataDir, 'stemma.db')) && existsSync(join(dataDir, 'spaces')))
    throw new Failure(
      `${join(dataDir, 'stemma.db')} is missing: put it back, or restore the last good backup into an empty folder.`,
    )
  if (!existsSync(join(dataDir, 'stemma.db')))
    throw new Failure(
      `There is no data folder at ${dataDir}. Set STEMMA_DATA to one, or make one with "stemma serve" or "stemma restore".`,
    )
  if (!existsSync(join(dataDir, 'key')))
    throw new Failure(
      `${join(dataDir, 'key')} is missing: put it back from a backup, or what was sealed with it is lost.`,
    )
  // Loaded late, so that commands that do not need it start at once.
  const { makeLogger, openContext } = await import('../open.ts')
  const ctx = openContext(config, makeLogger('silent'))
  try {
    return await work(ctx)
  } finally {
    ctx.close()
  }
}
