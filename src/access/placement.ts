import type { Context } from '../context.ts'
import { forbidden, missing } from '../errors.ts'
import { findCollection } from '../store/collections.ts'
import { findOrganization } from '../store/organizations.ts'
import type { CollectionRow, OrganizationRow } from '../store/rows.ts'
import type { Role } from '../store/tables.ts'
import { roleOnCollection } from './collection.ts'
import { memberWithin } from './reach.ts'
import { atLeast, effectiveRole } from './roles.ts'

/** The role with which a member (null: a guest; undefined: nobody) stands at the top of an organization. */
export const roleAtTop = (organization: OrganizationRow, member: Role | null | undefined): Role | null =>
  effectiveRole({ memberRole: member, organizationDefault: organization.default_role, levels: [] })

/**
 * Checks that a user may put spaces and collections into a collection, or at the top of the organization (parent null).
 * Gives the collection. Throws 'missing' for what the user does not see, 'forbidden' without the role "create".
 */
export function placeToCreate(
  ctx: Context,
  organizationId: string,
  parentId: string | null,
  userId: string,
): CollectionRow | null {
  const organization = findOrganization(ctx.store, organizationId)
  const member = organization && memberWithin(ctx, organizationId, userId)
  if (!organization || !member) throw missing('organization', organizationId)
  if (parentId === null) {
    if (atLeast(roleAtTop(organization, member.role), 'create')) return null
    throw forbidden(`This needs the role "create" in the organization; yours is "${member.role ?? 'guest'}".`)
  }
  const parent = findCollection(ctx.store, parentId)
  const role = parent?.organization_id === organizationId ? roleOnCollection(ctx, parent, userId) : null
  if (!parent || !role) throw missing('collection', parentId)
  if (atLeast(role, 'create')) return parent
  throw forbidden(`This needs the role "create" on the collection "${parentId}"; yours is "${role}".`)
}

/**
 * Checks that a user may put something where a space or collection that they see lies. Throws 'forbidden' without the role
 * "create" there, also where they do not see the collection: that there is one, what lies in it says.
 */
export function checkBeside(
  ctx: Context,
  organizationId: string,
  parentId: string | null,
  userId: string,
): void {
  const parent = parentId === null ? undefined : findCollection(ctx.store, parentId)
  if (parent && !roleOnCollection(ctx, parent, userId))
    throw forbidden('This needs the role "create" on the collection that it lies in; you have none.')
  placeToCreate(ctx, organizationId, parentId, userId)
}
