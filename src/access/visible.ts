import type { Context } from '../context.ts'
import type { AfterPosition, Placed } from '../store/spaces.ts'
import { findFooting, type Kind, levelsIn, type Outline } from '../store/standing.ts'
import type { Role } from '../store/tables.ts'
import { effectiveRole } from './roles.ts'

/** How many rows are looked at together when only some of them may be seen. */
const batch = 1_000

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
  const footing = findFooting(ctx.store, organizationId, userId)
  const { memberRole, organizationDefault } = footing
  const levels = levelsIn(footing)
  return (kind, target) =>
    memberRole === undefined
      ? null
      : effectiveRole({ memberRole, organizationDefault, levels: levels(kind, target) })
}

/**
 * The first `limit` spaces or collections of one organization that a user may see, in outline, with the user's role on
 * each. `read` gives those of the list in its order, seen or not, from after a place when one is given.
 */
export function listVisible(
  ctx: Context,
  { organizationId, userId, kind }: Looker,
  limit: number,
  after: AfterPosition | undefined,
  read: (limit: number, after: AfterPosition | undefined) => Placed[],
): Visible<Placed>[] {
  const roleOn = rolesIn(ctx, organizationId, userId)
  const visible: Visible<Placed>[] = []
  for (let from = after; ; ) {
    const rows = read(batch, from)
    for (const row of rows) {
      const role = roleOn(kind, row)
      if (role && visible.push({ row, role }) === limit) return visible
    }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return visible
    from = [last.position, last.seq]
  }
}
