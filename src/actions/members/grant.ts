import type { Origin } from '../../access/asker.ts'
import type { SiteTarget, Target, TargetGrant } from '../../access/guards/target.ts'
import { memberWithin } from '../../access/reach.ts'
import { atLeast } from '../../access/roles.ts'
import { type Roles, rolesOf, withoutGain } from '../../access/without-gain.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { belongsElsewhere, findMembership, insertMember } from '../../store/people/members.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { deletePermission, findPermission, putPermission } from '../../store/people/permissions.ts'
import { findRevocation, noteRevocation } from '../../store/people/revocations.ts'
import { findUser } from '../../store/people/users.ts'
import { listTeamUserIds, listThingsBelow } from '../../store/spaces/things.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { EventAction, EventActor } from '../events/audit-event.ts'
import { recordOn, recordOnMember } from '../events/record-event.ts'
import { changeOnSite } from './site-grant.ts'

/**
 * The user who makes the change and the origin of the request; `authority` is the user whose rights
 * decide if they are another's.
 */
type Grantor = Pick<TargetGrant, 'user'> & { origin: Origin | null; authority?: string }

type Subject = { kind: 'user' | 'team'; id: string }

/**
 * Grants a user or team a role on a space, collection or site, or with null no access; call it
 * inside a transaction. Throws 'forbidden' when this affects an item that the caller does not
 * administer.
 */
export function grant(
  ctx: Context,
  target: Target | SiteTarget,
  subject: Subject,
  role: Role | null,
  doer: Grantor,
): void {
  if (target.kind === 'site') {
    changeOnSite(ctx, target, subject, role, actorOf(doer))
    return
  }

  const before = findPermission(ctx.store, target, subject)
  if (before?.role === role) return
  withinReach(ctx, target, subject, doer, () =>
    putPermission(ctx.store, {
      target_kind: target.kind,
      target_id: target.id,
      subject_kind: subject.kind,
      subject_id: subject.id,
      role,
      created_at: ctx.now().toISOString(),
    }),
  )

  record(ctx, 'permission.given', target, doer, {
    [subject.kind]: subject.id,
    ...(before && { before: before.role }),
    role,
  })
}

/**
 * Removes the grant of a user or team on a space, collection or site itself, if there is one; call
 * it inside a transaction. Throws as `grant` does.
 */
export function revokeGrant(
  ctx: Context,
  target: Target | SiteTarget,
  subject: Subject,
  doer: Grantor,
): void {
  if (target.kind === 'site') {
    changeOnSite(ctx, target, subject, null, actorOf(doer))
    return
  }

  const before = findPermission(ctx.store, target, subject)
  if (!before) return
  withinReach(ctx, target, subject, doer, () => deletePermission(ctx.store, target, subject))
  record(ctx, 'permission.removed', target, doer, {
    [subject.kind]: subject.id,
    before: before.role,
  })
}

/** Changes the grants of a user or team, and records which users lost access by it. */
function withinReach(
  ctx: Context,
  target: Target,
  subject: Subject,
  { user, authority = user.id }: Grantor,
  change: () => void,
): void {
  const { organizationId } = target
  const watched = subject.kind === 'user' ? [subject.id] : listTeamUserIds(ctx.store, subject.id)
  const things = listThingsBelow(ctx.store, target)
  const reach = { organizationId, things, watched }

  // A team on a collection may have many members and affect many spaces: all members count as
  // weakened.
  const compared = subject.kind === 'user' || target.kind === 'space'
  const before = compared ? rolesOf(ctx, reach) : undefined

  withoutGain(ctx, { ...reach, userId: authority }, change)
  const weakened = before ? whoIsWeaker(before, rolesOf(ctx, reach)) : watched

  noteRevocation(ctx.store, organizationId, weakened, ctx.now().toISOString())
}

/** Returns the users who have a weaker role somewhere than before. */
const whoIsWeaker = (before: Roles, after: Roles): string[] =>
  [...before].flatMap(([key, { userId, role }]) =>
    role && !atLeast(after.get(key)?.role, role) ? [userId] : [],
  )

/**
 * Makes a user who does not belong to the organization a guest; call it inside a transaction.
 * Throws 'missing', as for an unknown account, for accounts of other organizations, who have to be
 * invited, and for all accounts when only admins of the organization may invite outsiders and the
 * caller is not one.
 */
export function admitGuest(
  ctx: Context,
  organizationId: string,
  userId: string,
  doer: Grantor,
): void {
  if (findMembership(ctx.store, organizationId, userId)) return
  const organization = findOrganization(ctx.store, organizationId)
  const byAdmin = memberWithin(ctx, organizationId, doer.user.id)?.role === 'admin'
  const isOpen =
    byAdmin || (organization?.outsiders_by_admins === 0 && !hasLeft(ctx, organizationId, userId))

  if (
    !isOpen ||
    !findUser(ctx.store, userId) ||
    belongsElsewhere(ctx.store, organizationId, userId)
  )
    throw missing('user', userId)

  const member = { organization_id: organizationId, user_id: userId }

  insertMember(ctx.store, { ...member, role: null, joined_at: ctx.now().toISOString() })
  recordOnMember(ctx, member, 'member.invited', actorOf(doer), { role: null })
}

const hasLeft = (ctx: Context, organizationId: string, userId: string): boolean =>
  findRevocation(ctx.store, organizationId, userId) !== undefined

const actorOf = ({ user, origin }: Grantor): EventActor => ({ userId: user.id, origin })

const record = (
  ctx: Context,
  action: EventAction,
  { kind, id, organizationId: organization_id }: Target,
  doer: Grantor,
  details: Record<string, unknown>,
): void => recordOn(kind)(ctx, { id, organization_id }, action, actorOf(doer), details)
