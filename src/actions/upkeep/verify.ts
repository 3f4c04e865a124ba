import type { Context } from '../../context.ts'
import { isDatabaseError } from '../../store/engine/driver.ts'
import type { LooseRows } from '../../store/engine/moving/git-rows.ts'
import { listIntents } from '../../store/git/intents.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { type Snapshot, withSnapshot } from '../moving/snapshot.ts'
import { organizationOf, specsKey } from '../repositories/repository-of.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { findOrphans } from './set-orphans-aside.ts'
import { verifyCounts } from './verify-counts.ts'
import type { Problem } from './verify-repository.ts'
import { verifySecrets } from './verify-secrets.ts'
import { verifySites } from './verify-sites.ts'
import { verifySpace } from './verify-space.ts'
import { verifySpecs } from './verify-specs.ts'

/** The time after which a running server has finished a write that it had begun. */
const pauseMs = 500

type OnSpace = (space: SpaceRow, at: number, of: number) => void

/**
 * Checks everything in a data folder: both databases, the journal and every space. A server may be
 * running; problems that disappear after a moment are not reported. Calls `onSpace` with each space
 * before its check. Returns the problems. Where nodes share the database, checks it as of one moment,
 * with what is derived from it in the folder of this node.
 */
export async function verify(ctx: Context, onSpace: OnSpace = () => {}): Promise<Problem[]> {
  const problems = findDamage(ctx)
  try {
    if (ctx.store.isShared)
      await withSnapshot(ctx, async snapshot => {
        problems.push(...(await snapshot.looseRows()).map(looseProblem))
        await lookFurther(snapshot.ctx, problems, onSpace, inDatabase(snapshot))
      })
    else await lookFurther(ctx, problems, onSpace)
  } catch (error) {
    // A damaged database may fail only at a later query.
    if (!isDatabaseError(error)) throw error
    const isDerived =
      problems.length > 0 && problems.every(({ remedy }) => remedy === deleteDerived)
    const remedy = isDerived ? deleteDerived : restoreDatabase
    problems.push({ what: `The database says: ${error.message}.`, remedy })
  }

  return problems
}

/** Checks the repository with a key. */
type CheckRepository = (key: string, find: () => Promise<Problem[]>) => Promise<Problem[]>

async function lookFurther(
  ctx: Context,
  problems: Problem[],
  onSpace: OnSpace,
  checkRepository: CheckRepository = (_, find) => find(),
): Promise<void> {
  const check = async (find: Find) => {
    problems.push(...(await lasting(ctx, find)))
  }
  for (const find of [findUnfinished, findStrays, verifyCounts, verifySites, verifySecrets])
    await check(find)

  const spaces = listAllSpaces(ctx.store)

  for (const [at, space] of spaces.entries()) {
    onSpace(space, at, spaces.length)
    await check(() =>
      findSpace(ctx.store, space.id)
        ? checkRepository(space.id, () => verifySpace(ctx, space))
        : [],
    )
  }

  for (const id of listSpecsOrganizations(ctx))
    await check(() => checkRepository(specsKey(id), () => verifySpecs(ctx, id)))
}

const looseProblem = ({ table, key, hasOwner }: LooseRows): Problem => ({
  what: `The table ${table} has rows of the repository ${key}, which ${hasOwner ? 'has no state' : 'belongs to no space or organization'}.`,
  remedy: hasOwner
    ? repairRows(key)
    : 'If a space is missing, restore the last good backup of the database. Otherwise run "stemma repair --loose", which moves the repository into the folder "lost".',
})

/** Returns the remedy for rows of a repository that are damaged. */
function repairRows(key: string): string {
  const organization = organizationOf(key)
  const which = organization === undefined ? `--space ${key}` : `--specs ${organization}`
  return `Run "stemma repair ${which}" with STEMMA_DATA of each node in turn, or with "--from <file or folder>" and a backup or a clone.`
}

/** Checks repositories as the database has them, whose remedies are others than those of a folder. */
const inDatabase =
  ({ withRepository }: Snapshot): CheckRepository =>
  async (key, find) => {
    try {
      const found = await withRepository(key, find)
      return found.map(problem => ({
        ...problem,
        remedy: problem.harmless ? 'Nothing is damaged.' : repairRows(key),
      }))
    } catch (error) {
      return [{ ...ownerOf(key), what: (error as Error).message, remedy: repairRows(key) }]
    }
  }

type Find = (ctx: Context) => Problem[] | Promise<Problem[]>

/** Returns the problems that are found twice, with a pause in between. */
async function lasting(ctx: Context, find: Find): Promise<Problem[]> {
  const first = await find(ctx)
  if (first.length === 0) return first
  await new Promise(resolve => setTimeout(resolve, pauseMs))
  const again = new Set((await find(ctx)).map(({ what }) => what))
  return first.filter(({ what }) => again.has(what))
}

const restoreDatabase =
  'Stop the server, keep a copy of the folder, and restore the last good backup.'

const deleteDerived =
  'Stop the server, delete derived.db, derived.db-wal and derived.db-shm from the data folder, and start the server, which rebuilds them.'

function findDamage({ store }: Context): Problem[] {
  const main = linesOf(() => store.problems())
  const derived = linesOf(() => store.derivedProblems())
  return [
    ...main.map(line => ({ what: `The database says: ${line}.`, remedy: restoreDatabase })),
    ...derived.map(line => ({ what: `derived.db is damaged: ${line}.`, remedy: deleteDerived })),
  ]
}

function linesOf(check: () => string[]): string[] {
  try {
    return check()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Returns the repositories that a server would set aside at its next start. */
const findStrays = async (ctx: Context): Promise<Problem[]> =>
  (await findOrphans(ctx)).map(path => ({
    what: `${path} does not belong to a space or organization in the database.`,
    remedy:
      'If spaces are missing, restore the last good backup into another folder. Otherwise restart the server, which moves such repositories into "lost".',
  }))

/** Returns the space, or the organization of the specs, whose repository has a key. */
function ownerOf(key: string): Pick<Problem, 'space' | 'organization'> {
  const organization = organizationOf(key)
  return organization === undefined ? { space: key } : { organization }
}

function findUnfinished(ctx: Context): Problem[] {
  return listIntents(ctx.store).map(({ id, space_id, kind }) => ({
    ...ownerOf(space_id),
    what: `The write ${id} (${kind}) was interrupted.`,
    remedy: 'Restart the server, which finishes or undoes it.',
  }))
}
