import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { findOrganization, listAllOrganizations } from '../../store/people/organizations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { readPosition } from '../catch-up/position.ts'
import { mayDestroy } from '../may-destroy.ts'
import { isOpened, openingSince } from '../repositories/opened.ts'
import { isCache, specsKey } from '../repositories/repository-of.ts'
import { lostFolder, setAside } from '../repositories/set-aside.ts'
import { spaceFolder } from '../repositories/space-repository.ts'
import { specsFolder } from '../repositories/specs-repository.ts'

/** How long a repository without a row is kept, because it may be the rows that were lost. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/**
 * Returns the paths of repositories without a row, relative to the data folder: a server was killed
 * while it created or removed them, or the rows of their spaces or organizations were lost.
 */
export async function findOrphans(ctx: Context): Promise<string[]> {
  const { dataDir } = ctx.config
  const found: string[] = []
  for (const shelf of await foldersIn(join(dataDir, 'spaces')))
    for (const name of await foldersIn(join(dataDir, 'spaces', shelf)))
      if (!isKnown(ctx, join('spaces', shelf, name))) found.push(join('spaces', shelf, name))
  for (const name of await foldersIn(join(dataDir, 'specs')))
    if (!isKnown(ctx, join('specs', name))) found.push(join('specs', name))
  return found
}

const idOf = (path: string): string => basename(path).replace(/\.git.*$/, '')

/** Returns the lock under which a repository with this path would be created. */
const lockOf = (path: string): string =>
  path.startsWith('specs/') ? specsKey(idOf(path)) : idOf(path)

/**
 * Returns whether a path relative to the data folder is the repository of a space or of an
 * organization's specs.
 */
function isKnown(ctx: Context, path: string): boolean {
  const { dataDir } = ctx.config
  const id = idOf(path)
  const folder = path.startsWith('specs/') ? specsFolder(dataDir, id) : spaceFolder(dataDir, id)
  return hasRow(ctx, path) && folder === join(dataDir, path)
}

/** Returns whether the space or organization that a path is named after has a row. */
const hasRow = (ctx: Context, path: string): boolean =>
  path.startsWith('specs/')
    ? findOrganization(ctx.store, idOf(path)) !== undefined
    : findSpace(ctx.store, idOf(path)) !== undefined

/**
 * Returns whether this process is creating the repository. Its row is written last, so it does not
 * exist yet.
 */
const isBeingCreated = (ctx: Context, path: string): boolean =>
  !hasRow(ctx, path) && isOpened(ctx, lockOf(path))

/**
 * Throws Fault if there are repositories but the database is empty: then it is the database that
 * was lost. Reads folders only if the database is empty.
 */
export async function checkDatabaseKept(ctx: Context): Promise<void> {
  if (listAllOrganizations(ctx.store).length > 0) return
  const whole = (await findOrphans(ctx)).filter(path => path.endsWith('.git'))
  if (whole.length > 0 && isCache(ctx))
    throw new Fault(
      'data_not_ready',
      `${ctx.config.dataDir} has repositories of ${counts(whole)}, but the database that STEMMA_DATABASE names is empty. Name the right database, or an empty folder.`,
    )
  if (whole.length > 0)
    throw new Fault(
      'data_not_ready',
      `${ctx.config.dataDir} has repositories of ${counts(whole)}, but its database is empty: stemma.db was lost. Put it back, or restore the last good backup into an empty folder.`,
    )
}

/**
 * Moves repositories without a row into the folder `lost`, where they are deleted after 30 days.
 * Deletes only folders of repositories that were never completed. Runs beside requests:
 * repositories that this process creates stay, as do folders that changed since the server started.
 */
export async function setOrphansAside(ctx: Context): Promise<void> {
  // The lock under which a space with this id would be created.
  for (const path of await findOrphans(ctx))
    await ctx.locks.run(lockOf(path), async () => {
      if (isKnown(ctx, path) || isBeingCreated(ctx, path) || !(await isOld(ctx, path))) return
      const dir = join(ctx.config.dataDir, path)
      // What has a position is a cache: nothing could be lost.
      if (readPosition(dir) || /\.git\.new-[^/]*$/.test(path))
        await rm(dir, { recursive: true, force: true })
      else await setAside(ctx, path)
    })

  crashPoint('R1')
  await forgetOld(ctx)
}

/** Returns whether a folder was last changed before this server started. */
async function isOld(ctx: Context, path: string): Promise<boolean> {
  const info = await stat(join(ctx.config.dataDir, path)).catch(() => undefined)
  return info !== undefined && info.mtimeMs < (openingSince(ctx) ?? 0)
}

/** Returns the number of repositories of each kind as part of a sentence. */
const counts = (paths: readonly string[]): string =>
  [
    ['spaces', 'spaces'],
    ['specs', 'OpenAPI specs'],
  ]
    .map(
      ([shelf, what]) => [paths.filter(path => path.startsWith(`${shelf}/`)).length, what] as const,
    )
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${what} (${count})`)
    .join(' and ')

async function forgetOld(ctx: Context): Promise<void> {
  const top = join(ctx.config.dataDir, lostFolder)
  const old = (await foldersIn(top)).filter(name => {
    const since = Number(/-(\d{13})$/.exec(name)?.[1] ?? Number.NaN)
    return ctx.now().getTime() - since > keptMs
  })
  if (old.length === 0 || !mayDestroy(ctx, 'lost repositories')) return
  for (const name of old) await rm(join(top, name), { recursive: true, force: true })
}

/**
 * Returns the names of the folders in a folder, without files; none if the folder does not exist.
 */
async function foldersIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
}
