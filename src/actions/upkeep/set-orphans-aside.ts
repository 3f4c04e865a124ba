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

/** How long a repository that no row knows is kept: until then somebody may find that it was the rows that were lost. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/** The folder, beside `spaces`, of repositories that no row knows. */
const aside = 'lost'

/**
 * The repositories of a data folder that no row knows, relative to it: made or removed when a server ended in the middle,
 * or what is left of spaces and organizations whose rows were lost.
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
 * Takes repositories that no row knows out of the way, into the folder `lost`, from which they go after 30 days; what was
 * only half made or half removed goes at once. Throws Fault when the database knows nothing at all and there are
 * repositories: then it is the database that is lost.
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
    ctx.log.warn(
      { repository: path, now: to },
      'a repository that belongs to no space and no organization was set aside',
    )
  }
  await forgetOld(ctx)
}

/** How many repositories there are of what, for a sentence. */
const counts = (paths: readonly string[]): string =>
  [
    ['spaces', 'spaces'],
    ['specs', 'OpenAPI descriptions'],
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

/** The names of the folders in a folder; none when it is not there. Files that somebody put there are theirs. */
async function foldersIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
}
