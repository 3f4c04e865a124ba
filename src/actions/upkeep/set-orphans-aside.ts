import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import { findOrganization, listAllOrganizations } from '../../store/people/organizations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { mayDestroy } from '../may-destroy.ts'
import { spaceFolder } from '../repositories/space-repository.ts'
import { specsFolder } from '../repositories/specs-repository.ts'

/** How long a repository without a row is kept, because it may be the rows that were lost. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/** The folder, beside `spaces`, of repositories without a row. */
const aside = 'lost'

/**
 * Returns the paths of repositories without a row, relative to the data folder: a server was killed while it created or
 * removed them, or the rows of their spaces or organizations were lost.
 */
export async function findOrphans(ctx: Context): Promise<string[]> {
  const { dataDir } = ctx.config
  const found: string[] = []
  for (const shelf of await foldersIn(join(dataDir, 'spaces')))
    for (const name of await foldersIn(join(dataDir, 'spaces', shelf))) {
      const id = name.replace(/\.git.*$/, '')
      const path = join('spaces', shelf, name)
      const known = findSpace(ctx.store, id) && spaceFolder(dataDir, id) === join(dataDir, path)
      if (!known) found.push(path)
    }
  for (const name of await foldersIn(join(dataDir, 'specs'))) {
    const id = name.replace(/\.git.*$/, '')
    const path = join('specs', name)
    const known = findOrganization(ctx.store, id) && specsFolder(dataDir, id) === join(dataDir, path)
    if (!known) found.push(path)
  }
  return found
}

/**
 * Moves repositories without a row into the folder `lost`, where they are deleted after 30 days; incomplete ones are
 * deleted at once. Throws Fault if there are repositories but the database is empty: then it is the database that was lost.
 */
export async function setOrphansAside(ctx: Context): Promise<void> {
  const { dataDir } = ctx.config
  const orphans = await findOrphans(ctx)
  const whole = orphans.filter(path => path.endsWith('.git'))
  if (whole.length > 0 && listAllOrganizations(ctx.store).length === 0)
    throw new Fault(
      'conflict',
      `${dataDir} has repositories of ${counts(whole)}, but its database is empty: stemma.db was lost. Put it back, or restore the last good backup into an empty folder.`,
    )
  for (const path of orphans.filter(path => !path.endsWith('.git')))
    await rm(join(dataDir, path), { recursive: true, force: true })
  for (const path of whole) {
    const to = join(aside, `${path.split('/').at(-1)}-${ctx.now().getTime()}`)
    await mkdir(join(dataDir, aside), { recursive: true, mode: 0o700 })
    await rename(join(dataDir, path), join(dataDir, to))
    await syncFolders([dataDir, join(dataDir, aside), join(dataDir, path, '..')])
    ctx.log.warn({ repository: path, now: to }, 'a repository without a space or organization was set aside')
  }
  await forgetOld(ctx)
}

/** Returns the number of repositories of each kind as part of a sentence. */
const counts = (paths: readonly string[]): string =>
  [
    ['spaces', 'spaces'],
    ['specs', 'OpenAPI specs'],
  ]
    .map(([shelf, what]) => [paths.filter(path => path.startsWith(`${shelf}/`)).length, what] as const)
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${what} (${count})`)
    .join(' and ')

async function forgetOld(ctx: Context): Promise<void> {
  const top = join(ctx.config.dataDir, aside)
  const old = (await foldersIn(top)).filter(name => {
    const since = Number(/-(\d{13})$/.exec(name)?.[1] ?? Number.NaN)
    return ctx.now().getTime() - since > keptMs
  })
  if (old.length === 0 || !mayDestroy(ctx, 'lost repositories')) return
  for (const name of old) await rm(join(top, name), { recursive: true, force: true })
}

/** Returns the names of the folders in a folder, without files; none if the folder does not exist. */
async function foldersIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
}
