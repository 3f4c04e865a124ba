import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { type FolderLock, LockedError, lockFolder } from '../../lock.ts'
import { exitLocked, Failure } from '../output/failure.ts'
import { readSettings, requireKeys } from './settings.ts'

/**
 * Opens the data folder of STEMMA_DATA for some work, beside a running server if there is one, and
 * closes it again; with STEMMA_DATABASE, that database with the folder of a node. A derived.db that
 * cannot be used is deleted if no server runs. Throws Failure when the folder does not exist: a
 * command must not create one because of a mistyped path.
 */
export async function withFolder<Result>(
  work: (ctx: Context) => Promise<Result> | Result,
): Promise<Result> {
  const config = readSettings()
  const { dataDir } = config
  checkFolder(config)

  // Loaded late, so that commands that do not need it start fast.
  const { makeLogger, openContext } = await import('../../open.ts')
  const { removeDerived, UnusableDerivedError } = await import(
    '../../store/engine/sqlite/derived-file.ts'
  )
  const open = () => openContext(config, makeLogger('silent'))
  let ctx: ReturnType<typeof openContext>

  try {
    ctx = open()
  } catch (error) {
    if (!(error instanceof UnusableDerivedError)) throw error
    lockedFor(dataDir, error, () => removeDerived(error.file))
    ctx = open()
  }

  try {
    return await work(ctx)
  } finally {
    ctx.close()
  }
}

/** Throws Failure unless the folder has the rows and the key that are not elsewhere. */
function checkFolder(config: Config): void {
  const { dataDir } = config
  const holds = (name: string) => existsSync(join(dataDir, name))
  if (config.database) {
    requireKeys(config)
    if (!existsSync(dataDir))
      throw new Failure(
        `There is no folder ${dataDir}. Set STEMMA_DATA to the data folder of a node, or to an empty folder.`,
      )
    return
  }

  if (!holds('stemma.db') && holds('spaces'))
    throw new Failure(
      `${join(dataDir, 'stemma.db')} is missing. Put it back, or restore the last good backup into an empty folder.`,
    )

  if (!holds('stemma.db'))
    throw new Failure(
      `There is no data folder at ${dataDir}. Set STEMMA_DATA to one, or create one with "stemma serve" or "stemma restore".`,
    )

  if (!holds('key'))
    throw new Failure(
      `${join(dataDir, 'key')} is missing. Restore it from a backup: values encrypted with it cannot be read otherwise.`,
    )
}

/**
 * Runs `remove` with the folder locked. Throws Failure with the problem of derived.db if a server
 * uses the folder.
 */
function lockedFor(dataDir: string, { message }: Error, remove: () => void): void {
  let lock: FolderLock
  try {
    lock = lockFolder(dataDir, 'deleting derived.db')
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    const hint =
      'If the server is of another version of Stemma, run the command with that version instead.'
    throw new Failure(`${message} ${hint}`, exitLocked)
  }

  try {
    remove()
  } finally {
    lock.release()
  }
}
