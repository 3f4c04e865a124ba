import type { Origin } from '../../access/asker.ts'
import type { Target, TargetGrant } from '../../access/guards/target.ts'
import { memberWithin } from '../../access/reach.ts'
import { atLeast } from '../../access/roles.ts'
import { type Roles, rolesOf, withoutGain } from '../../access/without-gain.ts'
import type { EventAction } from '../../actions/events/audit-event.ts'
import { recordEvent } from '../../actions/events/record-event.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { belongsElsewhere, findMembership, insertMember } from '../../store/people/members.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { deletePermission, findPermission, putPermission } from '../../store/people/permissions.ts'
import { findRevocation, noteRevocation } from '../../store/people/revocations.ts'
import { findUser } from '../../store/people/users.ts'
import { listTeamUserIds, listThingsBelow } from '../../store/spaces/things.ts'
import type { Role } from '../../store/tables/roles.ts'

/** The person who does it, and from where; `authority` is the user whose rights decide when these are somebody else's. */
export type EventActor = Pick<TargetGrant, 'user'> & { origin: Origin | null; authority?: string }

export type Subject = { kind: 'user' | 'team'; id: string }

/**
 * Gives a user or a team a role (or takes it away, with null) on a space or collection; inside a transaction. Throws
 * 'forbidden' when this reaches something that the doer does not administer.
 */
export function give(
  ctx: Context,
  target: Target,
  subject: Subject,
  role: Role | null,
  doer: EventActor,
): void {
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
 * Takes back what was granted to a user or a team on a space or collection itself, if anything was; inside a transaction.
 * Throws as `give`.
 */
export function takeBack(ctx: Context, target: Target, subject: Subject, doer: EventActor): void {
  const before = findPermission(ctx.store, target, subject)
  if (!before) return
  withinReach(ctx, target, subject, doer, () => deletePermission(ctx.store, target, subject))
  record(ctx, 'permission.removed', target, doer, { [subject.kind]: subject.id, before: before.role })
}

/** Changes what a user or a team has, and remembers from whom something was taken by it. */
function withinReach(
  ctx: Context,
  target: Target,
  subject: Subject,
  { user, authority = user.id }: EventActor,
  change: () => void,
): void {
  const { organizationId } = target
  const watched = subject.kind === 'user' ? [subject.id] : listTeamUserIds(ctx.store, subject.id)
  const things = listThingsBelow(ctx.store, target)
  const reach = { organizationId, things, watched }
  // A team on a collection may have many members and hold many spaces: all of its members count as weakened.
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
 * Makes a guest of a user who does not belong to the organization yet; inside a transaction. Throws 'missing' for accounts
 * that this cannot be done to, as if there were none: those of other organizations, who are to be asked, and all where
 * only admins of the organization bring in outsiders and the doer is none.
 */
export function admit(ctx: Context, organizationId: string, userId: string, doer: EventActor): void {
  if (findMembership(ctx.store, organizationId, userId)) return
  const organization = findOrganization(ctx.store, organizationId)
  const byAdmin = memberWithin(ctx, organizationId, doer.user.id)?.role === 'admin'
  const isOpen = byAdmin || (organization?.outsiders_by_admins === 0 && !hasLeft(ctx, organizationId, userId))
  if (!isOpen || !findUser(ctx.store, userId) || belongsElsewhere(ctx.store, organizationId, userId))
    throw missing('user', userId)
  const at = ctx.now().toISOString()
  insertMember(ctx.store, { organization_id: organizationId, user_id: userId, role: null, joined_at: at })
  recordEvent(ctx.store, {
    action: 'member.invited',
    organizationId,
    userId: doer.user.id,
    origin: doer.origin,
    target: { kind: 'member', id: userId },
    details: { role: null },
    at,
  })
}

const hasLeft = (ctx: Context, organizationId: string, userId: string): boolean =>
  findRevocation(ctx.store, organizationId, userId) !== undefined

const record = (
  ctx: Context,
  action: EventAction,
  { kind, id, organizationId }: Target,
  { user, origin }: EventActor,
  details: Record<string, unknown>,
): void =>
  recordEvent(ctx.store, {
    action,
    organizationId,
    userId: user.id,
    origin,
    target: { kind, id },
    ...(kind === 'space' && { spaceId: id }),
    details,
    at: ctx.now().toISOString(),
  })
