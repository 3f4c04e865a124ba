import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { listLinkInviteUses } from '../../../store/people/link-invites.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { LinkInviteRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import type { LinkInviteFacts } from './schema.ts'

/** The maximum number of users of a link that are shown. */
const mostShown = 100

export type Facts = z.input<typeof LinkInviteFacts> & { urls: { location: string } }

/** Returns a function from an invite to its creator, times and uses, as `viewer` sees them. */
export function factsOf(
  ctx: Context,
  rows: readonly LinkInviteRow[],
  viewer: UserRow,
): (row: LinkInviteRow) => Facts {
  const uses = listLinkInviteUses(
    ctx.store,
    rows.map(row => row.id),
    mostShown,
  )
  const people = [...uses.values()].flat().map(use => use.user_id)
  const users = findShownUsers(ctx.store, viewer.id, [
    ...people,
    ...rows.map(row => row.created_by),
  ])
  const base = ctx.publicUrl()

  return row => ({
    createdBy: presentUser(users.get(row.created_by) ?? viewer, base),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.max_uses !== null && { maxUses: row.max_uses }),
    uses: row.uses,
    usedBy: (uses.get(row.id) ?? []).flatMap(({ user_id, used_at }) => {
      const user = users.get(user_id)
      return user ? [{ user: presentUser(user, base), usedAt: used_at }] : []
    }),
    urls: { location: `${base}/v1/orgs/${row.organization_id}/link-invites/${row.id}` },
  })
}
