import type { Context } from '../../context.ts'
import { listOperations } from '../../store/git/operations.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { findOrphans } from './set-orphans-aside.ts'
import { verifyCounts } from './verify-counts.ts'
import type { Problem } from './verify-repository.ts'
import { verifySpace } from './verify-space.ts'
import { verifySpecs } from './verify-specs.ts'

/** What a server that writes meanwhile has begun is done by then. */
const pauseMs = 500

type OnSpace = (space: SpaceRow, at: number, of: number) => void

/**
 * Looks at everything in a data folder, also while a server runs on it: the database, the journal and every space. Gives
 * what is wrong; a thing that is only halfway done, and right a moment later, is not. `onSpace` hears of each space
 * before it is looked at.
 */
export async function verify(ctx: Context, onSpace: OnSpace = () => {}): Promise<Problem[]> {
  const problems = findDamage(ctx)
  try {
    await lookFurther(ctx, problems, onSpace)
  } catch (error) {
    // A damaged database may answer for a while, and then not.
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_')) throw error
    problems.push({ what: `The database says: ${(error as Error).message}.`, remedy: restoreDatabase })
  }
  return problems
}

async function lookFurther(ctx: Context, problems: Problem[], onSpace: OnSpace): Promise<void> {
  problems.push(...(await lasting(async () => findUnfinished(ctx))))
  problems.push(...(await lasting(() => findStrays(ctx))))
  problems.push(...(await lasting(() => verifyCounts(ctx))))
  const spaces = listAllSpaces(ctx.store)
  for (const [at, space] of spaces.entries()) {
    onSpace(space, at, spaces.length)
    problems.push(
      ...(await lasting(async () => (findSpace(ctx.store, space.id) ? verifySpace(ctx, space) : []))),
    )
  }
  for (const id of listSpecsOrganizations(ctx)) problems.push(...(await lasting(() => verifySpecs(ctx, id))))
}

/** What is found twice, with a pause between. */
async function lasting(find: () => Promise<Problem[]>): Promise<Problem[]> {
  const first = await find()
  if (first.length === 0) return first
  await new Promise(resolve => setTimeout(resolve, pauseMs))
  const again = new Set((await find()).map(({ what }) => what))
  return first.filter(({ what }) => again.has(what))
}

const restoreDatabase = 'Stop the server, keep a copy of the folder, and restore the last good backup.'

function findDamage(ctx: Context): Problem[] {
  let lines: string[]
  try {
    lines = ctx.store.problems()
  } catch (error) {
    lines = [error instanceof Error ? error.message : String(error)]
  }
  return lines.map(line => ({ what: `The database says: ${line}.`, remedy: restoreDatabase }))
}

/** Repositories that a server would set aside at its next start. */
const findStrays = async (ctx: Context): Promise<Problem[]> =>
  (await findOrphans(ctx)).map(path => ({
    what: `${path} belongs to no space and no organization that the database knows.`,
    remedy:
      'If spaces are missing, restore the last good backup beside this folder; if none is, restart the server: it sets them aside, into "lost".',
  }))

function findUnfinished(ctx: Context): Problem[] {
  return listOperations(ctx.store).map(({ id, space_id, kind }) => ({
    space: space_id,
    what: `The operation ${id} (${kind}) was begun and not finished.`,
    remedy: 'Restart the server: it finishes or undoes what was interrupted.',
  }))
}
