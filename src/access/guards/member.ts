import { Fault, missing } from '../../errors.ts'
import { findMembership } from '../../store/people/members.ts'
import type { MemberRow, OrganizationRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { type OrganizationGrant, organization } from './organization.ts'
import { signedIn } from './space.ts'

type MemberPath = { organizationId: string; userId: string }

/** `subject` is the member of the path, `member` the caller. */
type MemberGrant = OrganizationGrant & { subject: MemberRow }

/**
 * Admits members of the organization of the path with at least the role `needed` to one of its
 * members. Guests see only themselves.
 */
export const memberOf = (needed: 'guest' | 'admin'): Access<MemberPath, MemberGrant> =>
  needing({ role: needed, on: 'organization' }, asker => {
    const granted = organization(needed)(asker)
    const { userId } = asker.params
    const visible = granted.member.role !== null || userId === granted.user.id
    const subject = visible
      ? findMembership(asker.ctx.store, granted.organization.id, userId)
      : undefined
    if (!subject) throw missing('member', userId)
    return { ...granted, subject }
  })

/**
 * Admits admins of the organization of the path, and the member of the path themselves. Callers who
 * do not belong to it get no organization: deletes are repeatable, also after leaving.
 */
export const memberToRemove: Access<
  MemberPath,
  { organization: Pick<OrganizationRow, 'id'> | undefined; user: UserRow }
> = ({ ctx, actor, params }) => {
  const user = signedIn(actor)
  const own = memberWithin(ctx, params.organizationId, user.id)
  if (!own) return { organization: undefined, user }
  if (params.userId !== user.id && !atLeast(own.role, 'admin'))
    throw new Fault(
      'role_required',
      'Only admins of the organization can remove other members. You can remove yourself.',
    )
  return { organization: { id: own.organization_id }, user }
}
