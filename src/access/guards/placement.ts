import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { Kind } from '../../store/people/roles-of-user.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import { describeInheritance } from '../../store/spaces/inheritance.ts'
import { listThingsBelow } from '../../store/spaces/things.ts'
import type { CollectionRow } from '../../store/tables/rows.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { withoutGain } from '../without-gain.ts'
import { roleOnCollection } from './collection.ts'

/**
 * Checks that a user may create spaces and collections in a collection, or at the top level of the
 * organization (parent null). Returns the collection. Throws 'missing' for something the user
 * cannot see, 'forbidden' without the role "create".
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
    if (atLeast(member.role, 'create')) return null
    throw new Fault(
      'role_required',
      `This needs the role "create" in the organization; yours is "${member.role ?? 'guest'}".`,
    )
  }

  const parent = findCollection(ctx.store, parentId)
  const role =
    parent?.organization_id === organizationId ? roleOnCollection(ctx, parent, userId) : null
  if (!parent || !role) throw missing('collection', parentId)
  if (atLeast(role, 'create')) return parent
  throw new Fault(
    'role_required',
    `This needs the role "create" on the collection "${parentId}"; yours is "${role}".`,
  )
}

/**
 * Checks that a user may create something next to a space or collection that they can see. Throws
 * 'forbidden' without the role "create" there. This includes a collection that they cannot see: its
 * content already reveals that it exists.
 */
export function checkBeside(
  ctx: Context,
  organizationId: string,
  parentId: string | null,
  userId: string,
): void {
  const parent = parentId === null ? undefined : findCollection(ctx.store, parentId)
  if (parent && !roleOnCollection(ctx, parent, userId))
    throw new Fault(
      'role_required',
      'This needs the role "create" on the parent collection; you have no role there.',
    )
  placeToCreate(ctx, organizationId, parentId, userId)
}

/**
 * Runs a move of a space, or of a collection with its content, inside a transaction, and returns
 * its result. Throws 'forbidden' when a user would gain a stronger role on a moved item that the
 * mover does not administer.
 */
export function moveWithoutGain<Result>(
  ctx: Context,
  item: { kind: Kind; id: string; organizationId: string; from: string | null; to: string | null },
  userId: string,
  run: () => Result,
): Result {
  const { kind, id, organizationId, from, to } = item
  const same =
    from === to || describeInheritance(ctx.store, from) === describeInheritance(ctx.store, to)
  if (same) return run()
  const things = listThingsBelow(ctx.store, { kind, id })
  return withoutGain(ctx, { organizationId, userId, things, watched: 'everybody' }, run)
}
