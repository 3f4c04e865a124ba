import type { Context } from '../context.ts'
import { findStandings } from '../store/standing.ts'
import type { Role } from '../store/tables.ts'
import { effectiveRole } from './roles.ts'

/** How many rows are looked at together when only some of them may be seen. */
const batch = 200

export type Visible<Row> = { row: Row; role: Role }

/**
 * The first `limit` rows (spaces or collections of one organization) that a user may see, with their role on each.
 * `read` gives rows in their order, from after one when one is given. Roles are read for many rows at once.
 */
export function readVisible<Row extends { id: string }>(
  ctx: Context,
  { organizationId, userId, kind }: { organizationId: string; userId: string; kind: 'space' | 'collection' },
  limit: number,
  read: (limit: number, after: Row | undefined) => Row[],
): Visible<Row>[] {
  const visible: Visible<Row>[] = []
  let last: Row | undefined
  for (;;) {
    const rows = read(Math.max(batch, limit), last)
    const ids = rows.map(row => row.id)
    const standings = findStandings(ctx.store, organizationId, userId, kind, ids)
    for (const row of rows) {
      const standing = standings.get(row.id)
      const role = standing ? effectiveRole(standing) : null
      if (role && visible.push({ row, role }) === limit) return visible
    }
    last = rows.at(-1)
    if (!last || rows.length < Math.max(batch, limit)) return visible
  }
}
