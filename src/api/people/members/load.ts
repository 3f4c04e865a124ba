import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { countForMembers } from '../../../store/people/members.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { MemberRow, UserRow } from '../../../store/tables/rows.ts'
import { presentMember } from './present.ts'
import type { Member } from './schema.ts'

type Resource = z.input<typeof Member>

/**
 * Returns the resources of members of one organization, in the order of the rows: one query for
 * each kind of fact.
 */
export function loadMembers(
  ctx: Context,
  organizationId: string,
  rows: readonly MemberRow[],
  viewerId: string,
): Resource[] {
  const ids = rows.map(row => row.user_id)
  const users = findShownUsers(ctx.store, viewerId, ids)
  const counts = countForMembers(ctx.store, organizationId, ids)
  const base = ctx.publicUrl()

  return rows.map(row =>
    presentMember(
      row,
      users.get(row.user_id) as UserRow,
      counts.get(row.user_id) ?? { spaces: 0, sites: 0, teams: 0 },
      base,
    ),
  )
}

/** Returns the resource of one member. */
export const loadMember = (ctx: Context, row: MemberRow, viewerId: string): Resource =>
  loadMembers(ctx, row.organization_id, [row], viewerId)[0] as Resource
