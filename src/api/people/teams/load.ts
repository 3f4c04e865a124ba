import type { z } from 'zod'
import { atLeast } from '../../../access/roles.ts'
import type { Context } from '../../../context.ts'
import { countForTeams, listOwnedTeams, type TeamCounts } from '../../../store/people/teams.ts'
import type { MemberRow, TeamRow } from '../../../store/tables/rows.ts'
import type { Team } from './schema.ts'

type Resource = z.input<typeof Team>

/**
 * Returns the resources of teams as a member of their organization sees them, in the order of the
 * rows, with two queries.
 */
export function loadTeams(
  ctx: Context,
  rows: readonly TeamRow[],
  viewer: Pick<MemberRow, 'user_id' | 'role'>,
): Resource[] {
  const counts = countForTeams(
    ctx.store,
    rows.map(row => row.id),
  )
  const owned = listOwnedTeams(ctx.store, viewer.user_id)
  return rows.map(row => ({
    object: 'team',
    id: row.id,
    title: row.title,
    ...(counts.get(row.id) as TeamCounts),
    createdAt: row.created_at,
    permissions: { admin: atLeast(viewer.role, 'admin') || owned.has(row.id), view: true },
  }))
}

/** Returns the resource of one team. */
export const loadTeam = (
  ctx: Context,
  row: TeamRow,
  viewer: Pick<MemberRow, 'user_id' | 'role'>,
): Resource => loadTeams(ctx, [row], viewer)[0] as Resource
