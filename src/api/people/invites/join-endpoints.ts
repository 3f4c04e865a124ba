import { z } from 'zod'
import type { Origin } from '../../../access/asker.ts'
import { makerOf } from '../../../access/guards/invite.ts'
import { self } from '../../../access/guards/self.ts'
import { roleOnTarget, type Target } from '../../../access/guards/target.ts'
import { atLeast, effectiveRole } from '../../../access/roles.ts'
import { recordOnMember } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, forbidden } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { inviteIdOf } from '../../../store/invite-id.ts'
import { findLinkInvite, useLinkInvite } from '../../../store/people/link-invites.ts'
import { findMembership, insertMember } from '../../../store/people/members.ts'
import { findOrganization } from '../../../store/people/organizations.ts'
import { findRevocation } from '../../../store/people/revocations.ts'
import { findStandings } from '../../../store/people/roles-of-user.ts'
import type { LinkInviteRow, OrganizationRow, UserRow } from '../../../store/tables/rows.ts'
import { grant } from '../permissions/grant.ts'
import { disabled, signInOnly } from './endpoints.ts'
import { InvitePath } from './schema.ts'

export const joinOrganizationWithInvite = endpoint({
  operationId: 'joinOrganizationWithInvite',
  summary: 'Join an organization with an invite link',
  description:
    'Gives you the role of the invite, or makes you a guest with its level on one space or collection. The path contains the secret from the answer that created the link. A link works once for each user, until it expires or is used up, and only while its creator could create it. It does not work for users who left or were removed, or who lost a grant in the organization, after it was created, nor for users who are shut out (a grant of null). An invite never changes the role of an existing member; members with a lower level on the space or collection get the higher one.',
  params: InvitePath,
  reply: z.object({}),
  access: self,
  write: ({ ctx, user, params, by }) => {
    const organization = findOrganization(ctx.store, params.organizationId)
    const invite =
      organization && findLinkInvite(ctx.store, organization.id, inviteIdOf(params.inviteId))
    if (!organization || !invite) throw unusable()

    if (organization.invite_links === 0)
      throw forbidden(
        'Invite links are turned off in this organization. Ask one of its admins to add you.',
      )

    const own = findMembership(ctx.store, organization.id, user.id)
    if (!own && organization.sso === 1) throw signInOnly()
    if (own?.disabled) throw disabled()

    const target = targetOf(invite)
    if (own && hasAlready(ctx, invite, target, user)) return {}

    const at = ctx.now().toISOString()

    checkUsable(ctx, organization, { invite, target, user, isMember: own !== undefined }, at)
    if (!useLinkInvite(ctx.store, invite.id, user.id, at)) throw unusable()

    if (!own) {
      const role = invite.role
      const member = { organization_id: organization.id, user_id: user.id }

      insertMember(ctx.store, { ...member, role, joined_at: at })
      recordOnMember(ctx, member, 'member.joined', by, { role, by: 'invite', invite: invite.id })
    }

    if (invite.level !== null && target)
      giveLevel(ctx, { ...invite, level: invite.level }, target, user, by.origin)

    return {}
  },
})

/**
 * Returns the fault for an unusable link: the same for every reason, so that guessing links reveals
 * nothing.
 */
const unusable = () =>
  new Fault(
    'missing',
    'There is no such invite link, or you can no longer use it. Ask for a new one.',
  )

type Use = { invite: LinkInviteRow; target: Target | undefined; user: UserRow; isMember: boolean }

/**
 * Throws 'missing' when this user cannot use the link now, 'forbidden' when the link does not admit
 * outsiders.
 */
function checkUsable(
  ctx: Context,
  { outsiders_by_admins }: OrganizationRow,
  { invite, target, user, isMember }: Use,
  now: string,
): void {
  const maker = makerOf(ctx, invite)
  const usedUp = invite.max_uses !== null && invite.uses >= invite.max_uses
  const revokedAt = findRevocation(ctx.store, invite.organization_id, user.id)
  const isRevoked = revokedAt !== undefined && revokedAt >= invite.created_at
  if (!maker || invite.expires_at <= now || usedUp || isRevoked) throw unusable()
  if (target && isShutOut(ctx, target, user)) throw unusable()

  if (!isMember && outsiders_by_admins === 1 && maker.member.role !== 'admin')
    throw forbidden(
      'Only admins of the organization can invite users from outside. Ask one of them to invite you.',
    )
}

/** Returns whether the nearest grants to a member on a space or collection are all null. */
function isShutOut(ctx: Context, { kind, id, organizationId }: Target, user: UserRow): boolean {
  const standing = findStandings(ctx.store, organizationId, user.id, kind, [id]).get(id)
  const nearest = standing?.levels.find(level => level.granted.length > 0)
  return nearest !== undefined && effectiveRole({ memberRole: null, levels: [nearest] }) === null
}

/**
 * Grants the level of a link with the rights of its creator. Throws 'missing' when it exceeds
 * these.
 */
function giveLevel(
  ctx: Context,
  {
    level,
    created_by,
  }: Pick<LinkInviteRow, 'created_by'> & { level: NonNullable<LinkInviteRow['level']> },
  target: Target,
  user: UserRow,
  origin: Origin,
): void {
  try {
    grant(ctx, target, { kind: 'user', id: user.id }, level, {
      user,
      origin,
      authority: created_by,
    })
  } catch (error) {
    throw error instanceof Fault ? unusable() : error
  }
}

/** Returns whether an invite would give a member nothing new. */
const hasAlready = (
  ctx: Context,
  { level }: LinkInviteRow,
  target: Target | undefined,
  user: UserRow,
) => level === null || (target !== undefined && atLeast(roleOnTarget(ctx, target, user.id), level))

function targetOf({ organization_id, space_id, collection_id }: LinkInviteRow): Target | undefined {
  if (space_id !== null) return { kind: 'space', id: space_id, organizationId: organization_id }
  return collection_id === null
    ? undefined
    : { kind: 'collection', id: collection_id, organizationId: organization_id }
}
