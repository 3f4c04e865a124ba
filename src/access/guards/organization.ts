import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { findFirstOrganization, findOrganization } from '../../store/people/organizations.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { MemberRow, OrganizationRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { signedIn } from './space.ts'

export type OrganizationGrant = { organization: OrganizationRow; member: MemberRow; user: UserRow }

/**
 * Returns the membership of a user. Throws 'missing' for users outside the organization,
 * 'forbidden' below `needed`. For organizations that the body names, call it inside the transaction
 * that writes.
 */
export function checkMember(
  ctx: Context,
  organizationId: string,
  user: UserRow,
  needed: Role | 'guest',
): OrganizationGrant {
  const organization = findOrganization(ctx.store, organizationId)
  const member = organization && memberWithin(ctx, organization.id, user.id)
  if (!organization || !member) throw missing('organization', organizationId)

  if (needed !== 'guest' && !atLeast(member.role, needed)) {
    throw new Fault(
      'role_required',
      `This needs the role "${needed}" in the organization; yours is "${member.role ?? 'guest'}".`,
    )
  }

  return { organization, member, user }
}

/**
 * Admits members of the organization of the path: everyone, including guests, when `needed` is
 * 'guest', else members with at least that role.
 */
export const organization = (
  needed: Role | 'guest',
): Access<{ organizationId: string }, OrganizationGrant> =>
  needing({ role: needed, on: 'organization' }, ({ ctx, actor, params }) =>
    checkMember(ctx, params.organizationId, signedIn(actor), needed),
  )

/** Returns whether a user is an admin of the first organization of the server. */
export function isFirstAdmin(ctx: Context, user: { id: string }): boolean {
  const first = findFirstOrganization(ctx.store)
  return first !== undefined && memberWithin(ctx, first.id, user.id)?.role === 'admin'
}

/**
 * Admits the admins of the first organization of the server, which its operator made. They decide
 * which others there are.
 */
export const firstAdmin: Access<object, { user: UserRow }> = ({ ctx, actor }) => {
  const user = signedIn(actor)
  if (isFirstAdmin(ctx, user)) return { user }
  throw new Fault(
    'role_required',
    'This needs the role "admin" in the first organization of the server. Ask its operator.',
  )
}
