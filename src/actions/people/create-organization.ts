import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { insertOrganization, putMember } from '../../store/people/organizations.ts'
import type { OrganizationRow } from '../../store/tables/rows.ts'
import { type EventActor, noActor } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'

/** Creates an organization with an id of its own, as `createOrganization` does. */
export const createNamedOrganization = (
  ctx: Context,
  set: { title: string; admin: string; emailDomains?: string[] | undefined },
  by: EventActor,
): OrganizationRow =>
  createOrganization(ctx, { ...set, id: randomId() }, ctx.now().toISOString(), by)

/**
 * Creates an organization and makes a user its admin, on behalf of the operator unless a user is
 * named who does it. Call inside a transaction.
 */
export function createOrganization(
  { store }: Context,
  {
    id,
    title,
    admin,
    emailDomains,
  }: { id: string; title: string; admin: string; emailDomains?: string[] | undefined },
  at: string,
  by: EventActor = noActor,
): OrganizationRow {
  const made = insertOrganization(store, {
    id,
    title,
    created_at: at,
    ...(emailDomains && { email_domains: emailDomains }),
  })
  putMember(store, id, admin, 'admin', at)

  const known = { organizationId: id, ...by, at }
  recordEvent(store, {
    ...known,
    action: 'organization.created',
    target: { kind: 'organization', id },
  })
  recordEvent(store, {
    ...known,
    action: 'member.joined',
    target: { kind: 'user', id: admin },
    details: { role: 'admin' },
  })

  return made
}
