import type { Context } from '../../context.ts'
import { insertOrganization, putMember } from '../../store/people/organizations.ts'
import type { OrganizationRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'

/**
 * Creates an organization and makes a user its admin, on behalf of the operator. Call inside a
 * transaction.
 */
export function createOrganization(
  { store }: Context,
  { id, title, admin }: { id: string; title: string; admin: string },
  at: string,
): OrganizationRow {
  const made = insertOrganization(store, { id, title, created_at: at })
  putMember(store, id, admin, 'admin', at)

  const known = { organizationId: id, userId: null, origin: null, at }
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
