import type { Origin } from '../../access/asker.ts'
import { makerOf } from '../../access/guards/invite.ts'
import type { OrganizationGrant } from '../../access/guards/organization.ts'
import { roleOnTarget, type Target } from '../../access/guards/target.ts'
import { atLeast, effectiveRole } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { inviteIdOf } from '../../store/invite-id.ts'
import { findInviteById, useLinkInvite } from '../../store/people/link-invites.ts'
import { findMembership, insertMember } from '../../store/people/members.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { findRevocation } from '../../store/people/revocations.ts'
import { findStandings } from '../../store/people/roles-of-user.ts'
import type { LinkInviteRow, OrganizationRow, UserRow } from '../../store/tables/rows.ts'
import { recordOnMember } from '../events/record-event.ts'
import { grant } from './grant.ts'

/** An invite link and the organization to which it leads. */
export type Invited = { organization: OrganizationRow; invite: LinkInviteRow }

/** Returns the invite link with a secret; undefined also for one of another organization. */
export function findInvited(
  ctx: Context,
  secret: string,
  organizationId?: string,
): Invited | undefined {
  const invite = findInviteById(ctx.store, inviteIdOf(secret))
  if (!invite || (organizationId ?? invite.organization_id) !== invite.organization_id)
    return undefined
  const organization = findOrganization(ctx.store, invite.organization_id)
  return organization && { organization, invite }
}

/**
 * Throws what keeps a user (undefined: one who has no account yet) from using an invite link:
 * 'missing' for a link that they cannot use, 'forbidden' for an organization that does not admit
 * them this way. Returns the member who made the link, or undefined where it gives the user nothing
 * new.
 */
export function checkInvited(
  ctx: Context,
  { organization, invite }: Invited,
  user: UserRow | undefined,
): OrganizationGrant | undefined {
  checkOpen(organization)
  const own = user && findMembership(ctx.store, organization.id, user.id)
  if (!own && organization.sso === 1) throw signInOnly()
  if (own?.disabled) throw disabled()
  const target = targetOf(invite)
  if (own && hasAlready(ctx, invite, target, user)) return undefined
  return usableBy(ctx, organization, { invite, target, user, isMember: own !== undefined })
}

/**
 * Gives a user what an invite link gives: a role in the organization, or a level on a space or
 * collection. Throws as `checkInvited` does. Call inside a transaction.
 */
export function joinWithInvite(
  ctx: Context,
  invited: Invited,
  user: UserRow,
  by: { userId: string; origin: Origin },
): void {
  if (!checkInvited(ctx, invited, user)) return
  const { organization, invite } = invited
  const at = ctx.now().toISOString()
  if (!useLinkInvite(ctx.store, invite.id, user.id, at)) throw unusable()
  const { role, level } = invite
  const member = { organization_id: organization.id, user_id: user.id }
  if (insertMember(ctx.store, { ...member, role, joined_at: at }))
    recordOnMember(ctx, member, 'member.joined', by, { role, by: 'invite', invite: invite.id })

  const target = targetOf(invite)
  if (level !== null && target) giveLevel(ctx, { ...invite, level }, target, user, by.origin)
}

function checkOpen({ invite_links }: OrganizationRow): void {
  if (invite_links === 0)
    throw new Fault(
      'feature_off',
      'Invite links are turned off in this organization. Ask one of its admins to add you.',
    )
}

/** Returns the fault for a disabled member, who must not get in another way. */
export const disabled = () =>
  new Fault(
    'membership_ended',
    'Your membership of this organization is disabled. Ask one of its admins.',
  )

/** Returns the fault for joining an organization that requires single sign-on in another way. */
export const signInOnly = () =>
  new Fault(
    'sso_required',
    'The organization requires single sign-on. Sign in through its identity provider, or ask one of its admins to invite you with single sign-on.',
  )

/**
 * Returns the fault for an unusable link: the same for every reason, so that guessing links reveals
 * nothing.
 */
export const unusable = () =>
  new Fault(
    'invite_unusable',
    'There is no such invite link, or you can no longer use it. Ask for a new one.',
  )

type Use = {
  invite: LinkInviteRow
  target: Target | undefined
  user: UserRow | undefined
  isMember: boolean
}

/**
 * Returns the member who made a link. Throws 'missing' when this user cannot use it now, 'forbidden'
 * when it does not admit outsiders.
 */
function usableBy(
  ctx: Context,
  { outsiders_by_admins }: OrganizationRow,
  { invite, target, user, isMember }: Use,
): OrganizationGrant {
  const maker = makerOf(ctx, invite)
  const usedUp = invite.max_uses !== null && invite.uses >= invite.max_uses
  const revokedAt = user && findRevocation(ctx.store, invite.organization_id, user.id)
  const isRevoked = revokedAt !== undefined && revokedAt >= invite.created_at
  if (!maker || invite.expires_at <= ctx.now().toISOString() || usedUp || isRevoked)
    throw unusable()
  if (target && user && isShutOut(ctx, target, user)) throw unusable()

  if (!isMember && outsiders_by_admins === 1 && maker.member.role !== 'admin')
    throw new Fault(
      'role_required',
      'Only admins of the organization can invite users from outside. Ask one of them to invite you.',
    )
  return maker
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
