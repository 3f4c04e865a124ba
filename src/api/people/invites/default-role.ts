import type { Role } from '../../../store/tables/roles.ts'
import type { OrganizationRow } from '../../../store/tables/rows.ts'

/**
 * Returns the role of users who join an organization without an explicit role; null for a guest.
 * Only an explicit role makes a user an admin.
 */
export const defaultRole = ({ default_role: role }: OrganizationRow): Role | null =>
  role === 'admin' ? 'create' : role

/** Returns whether an e-mail address is in one of the organization's domains. */
export function isInDomain({ email_domains }: OrganizationRow, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return email_domains.includes(domain)
}
