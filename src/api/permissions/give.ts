import type { Origin } from '../../access/asker.ts'
import type { Target, TargetGrant } from '../../access/target.ts'
import { type EventAction, recordEvent } from '../../actions/record-event.ts'
import type { Context } from '../../context.ts'
import { insertMember } from '../../store/members.ts'
import { deletePermission, findPermission, putPermission } from '../../store/permissions.ts'
import type { Role } from '../../store/tables.ts'

/** Who does it, and from where. */
export type Doer = Pick<TargetGrant, 'user'> & { origin: Origin }

export type Subject = { kind: 'user' | 'team'; id: string }

/** Gives a user or a team a role (or takes it away, with null) on a space or collection; inside a transaction. */
export function give(ctx: Context, target: Target, subject: Subject, role: Role | null, doer: Doer): void {
  const before = findPermission(ctx.store, target, subject)
  if (before?.role === role) return
  putPermission(ctx.store, {
    target_kind: target.kind,
    target_id: target.id,
    subject_kind: subject.kind,
    subject_id: subject.id,
    role,
    created_at: ctx.now().toISOString(),
  })
  record(ctx, 'permission.given', target, doer, {
    [subject.kind]: subject.id,
    ...(before && { before: before.role }),
    role,
  })
}

/** Takes back what was said of a user or a team on a space or collection itself, if anything was; inside a transaction. */
export function takeBack(ctx: Context, target: Target, subject: Subject, doer: Doer): void {
  const before = findPermission(ctx.store, target, subject)
  if (!before) return
  deletePermission(ctx.store, target, subject)
  record(ctx, 'permission.removed', target, doer, { [subject.kind]: subject.id, before: before.role })
}

/** Makes a guest of a user who does not belong to the organization yet; inside a transaction. */
export function admit(ctx: Context, organizationId: string, userId: string, doer: Doer): void {
  const at = ctx.now().toISOString()
  const guest = { organization_id: organizationId, user_id: userId, role: null, joined_at: at }
  if (!insertMember(ctx.store, guest)) return
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

const record = (
  ctx: Context,
  action: EventAction,
  { kind, id, organizationId }: Target,
  { user, origin }: Doer,
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
