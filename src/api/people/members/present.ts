import type { z } from 'zod'
import type { MemberCounts } from '../../../store/people/members.ts'
import type { MemberRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import type { Member } from './schema.ts'

/** Returns a member of an organization. `base` is the prefix of `urls.*`. */
export const presentMember = (
  row: MemberRow,
  user: UserRow,
  counts: MemberCounts,
  base: string,
): z.input<typeof Member> => ({
  object: 'member',
  id: row.user_id,
  role: row.role,
  user: presentUser(user, base),
  disabled: row.disabled === 1,
  joinedAt: row.joined_at,
  ...(row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
  sso: row.sso === 1,
  ...counts,
})
