import { forbidden, missing } from '../errors.ts'
import { findMember, findOrganization } from '../store/organizations.ts'
import type { MemberRow, OrganizationRow, UserRow } from '../store/rows.ts'
import type { Role } from '../store/tables.ts'
import type { Access } from './asker.ts'
import { atLeast } from './roles.ts'
import { signedIn } from './space.ts'

export type OrganizationGrant = { organization: OrganizationRow; member: MemberRow; user: UserRow }

/**
 * Lets in the members of the organization of the path: everybody who belongs to it (guests too) when `needed` is
 * 'guest', else those with at least that role.
 */
export const organization =
  (needed: Role | 'guest'): Access<{ organizationId: string }, OrganizationGrant> =>
  ({ ctx, actor, params }) => {
    const user = signedIn(actor)
    const row = findOrganization(ctx.store, params.organizationId)
    const member = row && findMember(ctx.store, row.id, user.id)
    if (!row || !member) throw missing('organization', params.organizationId)
    if (needed !== 'guest' && !atLeast(member.role, needed)) {
      throw forbidden(
        `This needs the role "${needed}" in the organization; yours is "${member.role ?? 'guest'}".`,
      )
    }
    return { organization: row, member, user }
  }
