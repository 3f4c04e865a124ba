import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { listLinkInviteUses } from '../../../store/people/link-invites.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import type { LinkInviteRow, UserRow } from '../../../store/tables/rows.ts'
import { presentUser } from '../../base/users/present.ts'
import { inviteDays, type LinkInviteFacts, mostInviteDays } from './schema.ts'

const day = 86_400_000

/** The maximum number of users of a link that are shown. */
const mostShown = 100

/** Returns the expiry of a new invite: the requested time, or 7 days from now. Throws 'invalid'. */
export function endOf(asked: string | undefined, now: Date): string {
  if (asked === undefined) return new Date(now.getTime() + inviteDays * day).toISOString()
  const end = new Date(asked)
  if (end <= now) throw invalid('"expiresAt" in the body: takes a time in the future.')
  if (end.getTime() > now.getTime() + mostInviteDays * day)
    throw invalid(`"expiresAt" in the body: takes a time at most ${mostInviteDays} days from now.`)
  return end.toISOString()
}

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
