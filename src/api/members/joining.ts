import type { Role } from '../../store/tables/roles.ts'
import type { OrganizationRow } from '../../store/tables/rows.ts'

/**
 * The role in an organization of those who join it without one being said: what members may do by default. Null: a guest.
 * Nobody becomes an admin of an organization unless somebody says so.
 */
export const joiningRole = ({ default_role: role }: OrganizationRow): Role | null =>
  role === 'admin' ? 'create' : role

/** True when an e-mail address is of a domain that the organization names as its own. */
export function isOfDomain({ email_domains }: OrganizationRow, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return (JSON.parse(email_domains) as string[]).includes(domain)
}
