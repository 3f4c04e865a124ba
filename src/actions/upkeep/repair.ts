import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import { isComplete } from '../../git/history/complete.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch, setDefaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, readRef } from '../../git/refs/refs.ts'
import { checkRepositoryConfig, createRepository, restoreConfig } from '../../git/repositories/repository.ts'
import { salvageObjects, takePacks } from '../../git/repositories/salvage-objects.ts'
import {
  moveAside,
  setDamagedObjectsAside,
  setDamagedRefsAside,
} from '../../git/repositories/set-damaged-aside.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { deleteOpenapiDerived } from '../../store/openapi/versions.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { MissingBranch } from '../heads/missing-branch.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { changeRequestNumberOf } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { noBranch, specsRepository } from '../repositories/specs-repository.ts'
import { specBranches } from '../specs/list-specs.ts'
import { reindexSpace } from './reindex.ts'
import { type Archived, archivedSpace, archivedSpecs, openSource } from './repair-source.ts'
import type { Problem } from './verify-repository.ts'
import { verifySpace } from './verify-space.ts'
import { verifySpecs } from './verify-specs.ts'

/** What was done for a repository, in sentences, and what is still wrong with it. */
export type Repaired = {
  /** What was damaged, relative to the repository: it lies in `aside` now. */
  damaged: string[]
  /** Where what was damaged lies; undefined when nothing was. */
  aside: string | undefined
  /** Objects that were still whole in damaged packs. */
  salvaged: number
  /** Refs that were put back where the database has them. */
  refs: string[]
  problems: Problem[]
}

/**
 * Mends the repository of one space, and leaves rows and sound refs as they are: what is damaged is set aside, what it
 * lacks comes from `from` (a backup, a bundle or any clone), and refs that were lost are put back where the database has
 * them. A server may run meanwhile. Throws Fault when `from` is of no use, or is needed and not given.
 */
export async function repairSpace(
  ctx: Context,
  space: SpaceRow,
  from: string | undefined,
): Promise<Repaired> {
  const repo = spaceRepository(ctx, space.id)
  const mirror = listMirroredRefs(ctx.store, space.id) as Map<string, Oid>
  const branch = (source: Repository | undefined) => branchFor(repo, mirror, source)
  const order = { name: space.id, from, archived: archivedSpace(space.id), mirror, branch }
  const done = await mendRepository(ctx, repo, order)
  await reindexSpace(ctx, space).catch(ignoreTold)
  await guardPushes(ctx, repo, space.id)
  return { ...done, problems: await verifySpace(ctx, space) }
}

/** The same for the descriptions of an organization. */
export async function repairSpecs(
  ctx: Context,
  organizationId: string,
  from: string | undefined,
): Promise<Repaired> {
  const done = await mendRepository(ctx, specsRepository(ctx, organizationId), {
    name: `descriptions-${organizationId}`,
    from,
    archived: archivedSpecs(organizationId),
    mirror: specBranches(ctx.store, organizationId),
    branch: () => noBranch,
  })
  // What was derived of versions that could not be read is derived again when they are asked for.
  ctx.store.transact(() => deleteOpenapiDerived(ctx.store))
  return { ...done, problems: await verifySpecs(ctx, organizationId) }
}

type Order = {
  /** What folders with its remains are called. */
  name: string
  from: string | undefined
  archived: Archived
  /** Where the database has the refs. */
  mirror: ReadonlyMap<string, Oid>
  /** What HEAD shall name, when it is damaged. */
  branch: (source: Repository | undefined) => string
}

async function mendRepository(
  ctx: Context,
  repo: Repository,
  { name, from, archived, mirror, branch }: Order,
): Promise<Omit<Repaired, 'problems'>> {
  const work = join(ctx.config.dataDir, 'repairing', `${name}-${ctx.now().getTime()}`)
  const aside = join(ctx.config.dataDir, 'damaged', `${name}-${ctx.now().getTime()}`)
  await mkdir(work, { recursive: true, mode: 0o700 })
  try {
    const source = from === undefined ? undefined : await openSource(ctx, archived, from, work)
    const damaged = await makeUsable(repo, aside, branch(source))
    damaged.push(...(await setDamagedObjectsAside(repo, aside)))
    ctx.processes.closeRepository(repo.dir)
    if (source) await takePacks(source, repo)
    const salvaged = await salvageObjects(repo, aside)
    damaged.push(...(await setDamagedRefsAside(repo, aside)))
    const refs = await putBackRefs(repo, mirror)
    return { damaged, aside: existsSync(aside) ? aside : undefined, salvaged, refs }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What is still wrong is found again, and told, by the look at the whole. */
const ignoreTold = (error: unknown): void => {
  if (!(error instanceof Fault) && !isGitError(error) && !(error instanceof MissingBranch)) throw error
}

/** The primary branch: as HEAD says it, or the source, or the only branch that the database knows beside those of change requests. */
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
    'invalid',
    'Nobody knows which branch is the primary content: HEAD is damaged. Give a backup or a clone with --from.',
  )
}

/** The branch that HEAD names; undefined when it names none. */
function branchOf(repo: Repository): string | undefined {
  try {
    return defaultBranch(repo)
  } catch {
    return undefined
  }
}

/** Makes git take the folder for a repository again, with our configuration. Gives what was set aside for that. */
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

/** Which file of the configuration is not ours. */
function changedFile(error: unknown): string {
  if (isGitError(error, 'not_found')) return 'config'
  if (isGitError(error, 'config_changed')) return String(error.detail.file)
  throw error
}

/** Puts refs that are not there back where the database has them, as far as everything behind them is there. */
async function putBackRefs(repo: Repository, mirror: ReadonlyMap<string, Oid>): Promise<string[]> {
  const done: string[] = []
  for (const [ref, to] of mirror) {
    if ((await readRef(repo, ref)) !== undefined || !(await isComplete(repo, to, []))) continue
    await moveRefs(repo, [{ ref, from: null, to }])
    done.push(ref)
  }
  return done
}
