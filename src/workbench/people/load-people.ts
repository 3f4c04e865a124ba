import type { Context } from '../../context.ts'
import { listLinkInvites } from '../../store/people/link-invites.ts'
import {
  type AfterMember,
  keyOfMember,
  listMembers,
  type MemberList,
} from '../../store/people/members.ts'
import { emailIn, findShownUsers } from '../../store/people/users.ts'
import type { LinkInviteRow, MemberRow, UserRow } from '../../store/tables/rows.ts'

/** The most members on a page, and invitations. */
const mostMembers = 50
const mostInvites = 100

export type Person = { member: MemberRow; user: UserRow; email: string | null }

export type People = {
  people: Person[]
  /** The position of the next page; undefined for the last one. */
  next: string | undefined
  /** The open invitations to the organization and what is in it; undefined for who may not see them. */
  invites: { invite: LinkInviteRow; maker: string }[] | undefined
}

type Wanted = {
  organizationId: string
  viewerId: string
  isAdmin: boolean
  search: string | undefined
  after: AfterMember | undefined
}

/** Returns a page of the members of an organization, and for its admins the open invitations. */
export function loadPeople(ctx: Context, wanted: Wanted): People {
  const { organizationId, viewerId, isAdmin, search, after } = wanted
  const list: MemberList = { search, sort: 'joinedAt', order: 'asc' }
  const rows = listMembers(ctx.store, organizationId, list, mostMembers + 1, after)
  const shown = rows.slice(0, mostMembers)
  const last = shown.at(-1)
  const invites = isAdmin ? openInvites(ctx, organizationId) : []
  const users = findShownUsers(ctx.store, viewerId, [
    ...shown.map(({ user_id }) => user_id),
    ...invites.map(({ created_by }) => created_by),
  ])
  const people = shown.flatMap(member => {
    const user = users.get(member.user_id)
    return user ? [{ member, user, email: emailIn(user, organizationId) }] : []
  })

  return {
    people,
    next: rows.length > mostMembers && last ? keyOfMember(last).join('~') : undefined,
    invites: isAdmin
      ? invites.map(invite => ({
          invite,
          maker: users.get(invite.created_by)?.display_name ?? 'a former member',
        }))
      : undefined,
  }
}

/** Returns the invitations that can still be used, newest first. */
function openInvites(ctx: Context, organizationId: string): LinkInviteRow[] {
  const now = ctx.now().toISOString()
  return listLinkInvites(ctx.store, organizationId, mostInvites).filter(
    ({ expires_at, max_uses, uses }) => expires_at > now && (max_uses === null || uses < max_uses),
  )
}
