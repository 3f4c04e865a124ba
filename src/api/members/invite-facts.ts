import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { listLinkInviteUses } from '../../store/people/link-invites.ts'
import { findShownUsers } from '../../store/people/users.ts'
import type { LinkInviteRow, UserRow } from '../../store/tables/rows.ts'
import { presentUser } from '../users/present.ts'
import { inviteDays, type LinkInviteFacts, mostInviteDays } from './invite-schema.ts'

const day = 86_400_000

/** How many of the people who used a link are shown. */
const mostShown = 100

/** Returns when an invite that is made now ends: at the time that was asked for, or after 7 days. Throws 'invalid'. */
export function endOf(asked: string | undefined, now: Date): string {
  if (asked === undefined) return new Date(now.getTime() + inviteDays * day).toISOString()
  const end = new Date(asked)
  if (end <= now) throw invalid('"expiresAt" in the body: takes a time in the future.')
  if (end.getTime() > now.getTime() + mostInviteDays * day)
    throw invalid(`"expiresAt" in the body: takes a time at most ${mostInviteDays} days from now.`)
  return end.toISOString()
}

export type Facts = z.input<typeof LinkInviteFacts>

/** Returns what gives the maker, the times and the uses of each of the invites, as `viewer` sees them. */
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
  const users = findShownUsers(ctx.store, viewer.id, [...people, ...rows.map(row => row.created_by)])
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
  })
}
