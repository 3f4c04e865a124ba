import type { Context } from '../context.ts'
import {
  type Footing,
  findFooting,
  type Kind,
  levelsIn,
  type Outline,
} from '../store/people/roles-of-user.ts'
import type { AfterPosition, Candidates, Placed } from '../store/spaces/spaces.ts'
import type { Role } from '../store/tables/roles.ts'
import { reachesOrganization, spacesWithin } from './reach.ts'
import { effectiveRole, strongest } from './roles.ts'

/**
 * The minimum and maximum number of rows that are read together when only some of them may be
 * visible.
 */
const leastBatch = 100
const mostBatch = 1_000

export type Visible<Row> = { row: Row; role: Role }

type Looker = { organizationId: string; userId: string; kind: Kind }

/**
 * Returns a function that computes a user's role on any space or collection of an organization
 * (null: none) without further queries, for lists. It reads all grants of the user and all
 * collections: for a single space or collection, `findStandings` is cheaper.
 */
export function rolesIn(
  ctx: Context,
  organizationId: string,
  userId: string,
): (kind: Kind, target: Outline) => Role | null {
  return roleWithin(ctx, userId, footingWithin(ctx, organizationId, userId))
}

/**
 * Returns the function of `rolesIn` for these facts; it returns null for what the request's token
 * does not reach.
 */
function roleWithin(ctx: Context, userId: string, footing: Footing) {
  const roleOn = roleFrom(footing)
  const only = spacesWithin(ctx, userId)
  if (!only) return roleOn
  return (kind: Kind, target: Outline) =>
    kind === 'space' && only.has(target.id) ? roleOn(kind, target) : null
}

/**
 * Returns the facts that determine a user's roles in an organization; none beyond the reach of the
 * request's token.
 */
function footingWithin(ctx: Context, organizationId: string, userId: string): Footing {
  const footing = findFooting(ctx.store, organizationId, userId)
  return reachesOrganization(ctx, userId, organizationId)
    ? footing
    : { ...footing, memberRole: undefined }
}

function roleFrom(footing: Footing): (kind: Kind, target: Outline) => Role | null {
  const { memberRole } = footing
  const levels = levelsIn(footing)
  return (kind, target) =>
    memberRole === undefined ? null : effectiveRole({ memberRole, levels: levels(kind, target) })
}

/**
 * Returns a superset of the spaces that a guest can see, so that a list can skip the others;
 * undefined for members, who see everything except where a level closes it.
 */
function candidatesFor(footing: Footing): Candidates | undefined {
  const { memberRole, given, collections } = footing
  if (memberRole) return undefined
  const roleOn = roleFrom(footing)

  return {
    spaces: [...given.space].flatMap(([id, roles]) => (strongest(roles) ? [id] : [])),
    collections: [...collections.values()].flatMap(row =>
      roleOn('collection', row) ? [row.id] : [],
    ),
  }
}

/** Reads rows of a list after a position. */
export type ReadPlaced = (
  limit: number,
  after: AfterPosition | undefined,
  among: Candidates | undefined,
) => Placed[]

/**
 * Returns the first `limit` spaces or collections of an organization that a user can see, in
 * outline, with the user's role on each. `read` returns rows of the list in its order, visible or
 * not, after a position; it may skip spaces that are not `among` the candidates.
 */
export function listVisible(
  ctx: Context,
  { organizationId, userId, kind }: Looker,
  limit: number,
  after: AfterPosition | undefined,
  read: ReadPlaced,
): Visible<Placed>[] {
  const footing = footingWithin(ctx, organizationId, userId)
  const among = candidatesFor(footing)
  const roleOn = roleWithin(ctx, userId, footing)
  const batch = Math.min(mostBatch, Math.max(leastBatch, limit))
  const visible: Visible<Placed>[] = []

  for (let from = after; ; ) {
    const rows = read(batch, from, among)
    for (const row of rows) {
      const role = roleOn(kind, row)
      if (role && visible.push({ row, role }) === limit) return visible
    }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return visible
    from = [last.position, last.seq]
  }
}
