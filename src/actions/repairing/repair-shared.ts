import type { Context } from '../../context.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { listNamedCommits, listNamedVersions } from '../../store/git/named-commits.ts'
import { deleteOpenapiDerived } from '../../store/openapi/versions.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { catchUpNow } from '../catch-up/catch-up.ts'
import { keepNamedCommits } from '../heads/keep-named.ts'
import { lockSpace } from '../heads/open-space.ts'
import { settleJumps } from '../heads/published-jump.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specBranches } from '../specs/list-specs.ts'
import type { Problem } from '../upkeep/verify-repository.ts'
import { verifySpace } from '../upkeep/verify-space.ts'
import { verifySpecs } from '../upkeep/verify-specs.ts'
import { mendRows, type SharedOrder } from './mend-rows.ts'
import { renewFolder } from './renew-folder.ts'
import type { Repaired } from './repair.ts'
import { archivedSpace, archivedSpecs } from './repair-source.ts'

export type SharedOptions = {
  from: string | undefined
  setBack: boolean
  /** Whether no server uses the folder of this node. */
  alone: boolean
}

/** A repair of the rows of a database, and of the folder of this node. */
export type SharedRepaired = Repaired & { folder: 'whole' | 'made again' | 'to be made again' }

/**
 * Repairs a space in the database that nodes share, as `mendRows` does, and then the folder that this node
 * has of it. Nodes may be running.
 */
export function repairSharedSpace(
  ctx: Context,
  space: SpaceRow,
  options: SharedOptions,
): Promise<SharedRepaired> {
  const { id } = space
  const repo = spaceRepository(ctx, id)
  const order = {
    ...options,
    key: id,
    name: id,
    archived: archivedSpace(id),
    about: { space: id },
    needed: () =>
      new Map(
        listUnmerged(ctx.store, id).map(({ number }) => [changeRequestRef(number), undefined]),
      ),
    named: () => listNamedCommits(ctx.store, id).map(({ oid }) => oid),
  }
  return repairRows(ctx, order, options, async () => {
    await lockSpace(ctx, id, async () => {
      await keepNamedCommits(ctx, repo, id)
      await settleJumps(ctx, repo, id)
    })
    return verifySpace(ctx, space)
  })
}

/** Repairs the repository of an organization's OpenAPI specs, as `repairSharedSpace` does. */
export function repairSharedSpecs(
  ctx: Context,
  organization: string,
  options: SharedOptions,
): Promise<SharedRepaired> {
  const order = {
    ...options,
    key: specsKey(organization),
    name: `specs-${organization}`,
    archived: archivedSpecs(organization),
    about: { organization },
    needed: () => specBranches(ctx.store, organization),
    named: () => listNamedVersions(ctx.store, organization).map(({ oid }) => oid),
  }
  return repairRows(ctx, order, options, () => {
    // Derived rows of versions that could not be read are rebuilt on demand.
    ctx.store.transact(() => deleteOpenapiDerived(ctx.store))
    return verifySpecs(ctx, organization)
  })
}

async function repairRows(
  ctx: Context,
  order: SharedOrder,
  { alone }: SharedOptions,
  settle: () => Promise<Problem[]>,
): Promise<SharedRepaired> {
  const mended = await mendRows(ctx, order)
  if (mended.problems.length > 0) return { ...mended, folder: 'whole' }
  const folder = await renewFolder(ctx, order.key, alone)
  if (folder === 'to be made again') return { ...mended, folder }
  await catchUpNow(ctx, order.key)
  const found = await settle()
  return { ...mended, folder, problems: found.filter(({ harmless }) => !harmless) }
}
