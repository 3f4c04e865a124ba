import { z } from 'zod'
import type { Context } from '../../context.ts'
import { listOf } from '../../http/list.ts'
import { countForMembers } from '../../store/members.ts'
import type { MemberRow } from '../../store/rows.ts'
import { findUsers } from '../../store/users.ts'
import { presentUser } from '../users/present.ts'
import { User } from '../users/schema.ts'

const Commenter = z.object({
  object: z.literal('member'),
  id: z.string(),
  role: z.enum(['read', 'comment', 'edit', 'review', 'create', 'admin']).nullable(),
  user: User,
  disabled: z.boolean(),
  joinedAt: z.string(),
  lastSeenAt: z.string().optional(),
  sso: z.boolean(),
  spaces: z.int(),
  teams: z.int(),
})

export const Commenters = listOf(Commenter)

/** Members of one organization who have comments, in the order given. */
export function loadCommenters(
  ctx: Context,
  organizationId: string,
  rows: readonly MemberRow[],
): z.input<typeof Commenter>[] {
  const ids = rows.map(row => row.user_id)
  const counts = countForMembers(ctx.store, organizationId, ids)
  const users = findUsers(ctx.store, ids)
  const base = ctx.publicUrl()
  return rows.map(row => ({
    object: 'member',
    id: row.user_id,
    role: row.role,
    user: presentUser(users.get(row.user_id)!, base),
    disabled: row.disabled === 1,
    joinedAt: row.joined_at,
    ...(row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
    sso: row.sso === 1,
    ...(counts.get(row.user_id) ?? { spaces: 0, teams: 0 }),
  }))
}
