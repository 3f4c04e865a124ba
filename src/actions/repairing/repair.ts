import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch, setDefaultBranch } from '../../git/refs/default-branch.ts'
import {
  checkRepositoryConfig,
  createRepository,
  restoreConfig,
} from '../../git/repositories/repository.ts'
import { salvageObjects, takePacks } from '../../git/repositories/salvage-objects.ts'
import {
  moveAside,
  setDamagedObjectsAside,
  setDamagedRefsAside,
} from '../../git/repositories/set-damaged-aside.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listMirroredRefs, putMirroredRef } from '../../store/git/refs.ts'
import { deleteOpenapiDerived } from '../../store/openapi/versions.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { putBackRefs } from '../repositories/put-back-refs.ts'
import { changeRequestNumberOf } from '../repositories/ref-names.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { noBranch, specsRepository } from '../repositories/specs-repository.ts'
import { specBranches } from '../specs/list-specs.ts'
import { reindexSpace } from '../upkeep/reindex.ts'
import type { Problem } from '../upkeep/verify-repository.ts'
import { verifySpace } from '../upkeep/verify-space.ts'
import { verifySpecs } from '../upkeep/verify-specs.ts'
import { repairFolders } from './repair-folders.ts'
import { type Archived, archivedSpace, archivedSpecs, openSource } from './repair-source.ts'

/** The result of a repair, and the problems that remain. */
export type Repaired = {
  /**
   * The damaged files, relative to the repository, or the damaged packs of a database. They are in `aside`
   * now.
   */
  damaged: string[]
  /** The folder with the damaged files; undefined if there were none. */
  aside: string | undefined
  /** The number of intact objects taken from damaged packs. */
  salvaged: number
  /** The refs that were restored: from the database, or in it. */
  refs: string[]
  problems: Problem[]
}

/**
 * Repairs the repository of a space: sets damaged files aside, takes missing objects from `from` (a
 * backup, a bundle or any clone) and restores lost refs from the database. Rows and intact refs
 * stay as they are. A server may be running. Throws Fault if `from` cannot be used, or is required
 * and missing.
 */
export async function repairSpace(
  ctx: Context,
  space: SpaceRow,
  from: string | undefined,
): Promise<Repaired> {
  const repo = spaceRepository(ctx, space.id)
  const mirror = listMirroredRefs(ctx.store, space.id)
  const branch = (source: Repository | undefined) => branchFor(repo, mirror, source)
  const order = {
    key: space.id,
    name: space.id,
    from,
    archived: archivedSpace(space.id),
    mirror,
    branch,
  }
  const done = await mendRepository(ctx, repo, order)
  await reindexSpace(ctx, space).catch(ignoreReported)
  await guardPushes(ctx, repo, space.id)
  return { ...done, problems: await verifySpace(ctx, space) }
}

/** Repairs the repository of an organization's OpenAPI specs, as `repairSpace` does. */
export async function repairSpecs(
  ctx: Context,
  organizationId: string,
  from: string | undefined,
): Promise<Repaired> {
  const key = specsKey(organizationId)
  const mirror = specBranches(ctx.store, organizationId)
  const done = await mendRepository(ctx, specsRepository(ctx, organizationId), {
    key,
    name: `specs-${organizationId}`,
    from,
    archived: archivedSpecs(organizationId),
    mirror,
    branch: () => noBranch,
  })

  ctx.store.transact(() => {
    for (const [ref, oid] of mirror) putMirroredRef(ctx.store, key, ref, oid)
  })
  // Derived rows of versions that could not be read are rebuilt on demand.
  ctx.store.transact(() => deleteOpenapiDerived(ctx.store))
  return { ...done, problems: await verifySpecs(ctx, organizationId) }
}

type Order = {
  key: string
  /** The prefix of the names of its folders. */
  name: string
  from: string | undefined
  archived: Archived
  /** The refs as the database has them. */
  mirror: ReadonlyMap<string, Oid>
  /** Returns the branch for HEAD if HEAD is damaged. */
  branch: (source: Repository | undefined) => string
}

async function mendRepository(
  ctx: Context,
  repo: Repository,
  { key, name, from, archived, mirror, branch }: Order,
): Promise<Omit<Repaired, 'problems'>> {
  const { work, aside } = repairFolders(ctx, name)
  await mkdir(work, { recursive: true, mode: 0o700 })

  try {
    const source = from === undefined ? undefined : await openSource(ctx, archived, from, work)
    const damaged = await makeUsable(repo, aside, branch(source))
    damaged.push(...(await setDamagedObjectsAside(repo, aside)))
    ctx.processes.closeRepository(repo.dir)
    if (source) await takePacks(source, repo)

    const salvaged = await salvageObjects(repo, aside)

    damaged.push(...(await setDamagedRefsAside(repo, aside)))
    const refs = await putBackRefs(ctx, key, mirror)

    return { damaged, aside: existsSync(aside) ? aside : undefined, salvaged, refs }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Ignores errors that the verification afterwards reports again. */
function ignoreReported(error: unknown): void {
  if (!(error instanceof Fault) && !isGitError(error)) throw error
}

/**
 * Returns the primary branch from HEAD, from the source, or the only branch in the database that is
 * not of a change request.
 */
function branchFor(
  repo: Repository,
  mirror: ReadonlyMap<string, Oid>,
  source: Repository | undefined,
): string {
  for (const each of [repo, source]) {
    const named = each && branchOf(each)
    if (named && (each === repo || mirror.has(named))) return named
  }

  const branches = [...mirror.keys()].filter(
    ref => ref.startsWith('refs/heads/') && changeRequestNumberOf(ref) === undefined,
  )
  if (branches.length === 1 && branches[0]) return branches[0]
  throw new Fault(
    'invalid_input',
    'HEAD is damaged, and the primary branch is unknown. Give a backup or a clone with --from.',
  )
}

/** Returns the branch that HEAD names; undefined if it names none. */
function branchOf(repo: Repository): string | undefined {
  try {
    return defaultBranch(repo)
  } catch {
    return undefined
  }
}

/** Makes the folder a valid repository with our configuration. Returns what was set aside. */
async function makeUsable(repo: Repository, aside: string, branch: string): Promise<string[]> {
  const damaged: string[] = []
  if (existsSync(repo.dir) && !statSync(repo.dir).isDirectory()) {
    await mkdir(aside, { recursive: true, mode: 0o700 })
    await rename(repo.dir, join(aside, 'file'))
    damaged.push('(a file in the place of the repository)')
  }

  if (!existsSync(repo.dir)) {
    await createRepository(repo.processes, repo.dir, { defaultBranch: branch })
    return [...damaged, '(the whole repository)']
  }

  const setAside = async (name: string) => {
    if (!existsSync(join(repo.dir, name))) return
    await moveAside(repo, name, aside)
    damaged.push(name)
  }

  for (;;) {
    const changed = await checkRepositoryConfig(repo).then(() => undefined, changedFile)
    if (changed === undefined) break
    await setAside(changed)
    if (changed === 'config') await restoreConfig(repo)
  }

  if (branchOf(repo) === undefined) {
    await setAside('HEAD')
    await setDefaultBranch(repo, branch)
  }

  for (const folder of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags'])
    await mkdir(join(repo.dir, folder), { recursive: true })
  await syncFolders([repo.dir, dirname(repo.dir)])

  return damaged
}

/** Returns the configuration file that an error is about. */
function changedFile(error: unknown): string {
  if (isGitError(error, 'not_found')) return 'config'
  if (isGitError(error, 'config_changed')) return String(error.detail.file)
  throw error
}
