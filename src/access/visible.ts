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
import { reachesOrganization } from './reach.ts'
import { effectiveRole, strongest } from './roles.ts'

/** How many rows are looked at together, at least and at most, when only some of them may be seen. */
const leastBatch = 100
const mostBatch = 1_000

export type Visible<Row> = { row: Row; role: Role }

type Looker = { organizationId: string; userId: string; kind: Kind }

/**
 * Tells the role of a user on any space or collection of an organization (null: none) without another query: for lists.
 * Reads what was given to the user and all collections, so for one space or collection `findStandings` is the cheaper.
 */
export function rolesIn(
  ctx: Context,
  organizationId: string,
  userId: string,
): (kind: Kind, target: Outline) => Role | null {
  return roleFrom(footingWithin(ctx, organizationId, userId))
}

/** What bears on the roles of a user in an organization; on none where the token of the request does not reach. */
function footingWithin(ctx: Context, organizationId: string, userId: string): Footing {
  const footing = findFooting(ctx.store, organizationId, userId)
  return reachesOrganization(ctx, userId, organizationId) ? footing : { ...footing, memberRole: undefined }
}

function roleFrom(footing: Footing): (kind: Kind, target: Outline) => Role | null {
  const { memberRole } = footing
  const levels = levelsIn(footing)
  return (kind, target) =>
    memberRole === undefined ? null : effectiveRole({ memberRole, levels: levels(kind, target) })
}

/**
 * Returns spaces that include all that a guest sees, so that a list need not read the others; undefined for members, who
 * see everything that no level closes.
 */
function candidatesFor(footing: Footing): Candidates | undefined {
  const { memberRole, given, collections } = footing
  if (memberRole) return undefined
  const roleOn = roleFrom(footing)
  return {
    spaces: [...given.space].flatMap(([id, roles]) => (strongest(roles) ? [id] : [])),
    collections: [...collections.values()].flatMap(row => (roleOn('collection', row) ? [row.id] : [])),
  }
}

/** Reads what a list has, from after a place. */
export type ReadPlaced = (
  limit: number,
  after: AfterPosition | undefined,
  among: Candidates | undefined,
) => Placed[]

/**
 * The first `limit` spaces or collections of one organization that a user may see, in outline, with the user's role on
 * each. `read` gives those of the list in its order, seen or not, from after a place when one is given; of spaces it may
 * leave out those that are not `among` the candidates.
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
  const roleOn = roleFrom(footing)
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
