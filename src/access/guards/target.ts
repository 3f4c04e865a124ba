import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { collection, roleOnCollection } from './collection.ts'
import { roleOnSpace, space } from './space.ts'

/** What roles are given on: a space or a collection. */
export type Target = { kind: 'space' | 'collection'; id: string; organizationId: string }

export type TargetGrant = { target: Target; user: UserRow }

/** Lets in those with at least `needed` in the space of the path. */
export const targetSpace =
  (needed: Role): Access<{ spaceId: string }, TargetGrant> =>
  async asker => {
    const granted = await space(needed)(asker)
    const { id, organization_id: organizationId } = granted.space
    return { target: { kind: 'space', id, organizationId }, user: granted.user }
  }

/** Lets in those with at least `needed` on the collection of the path. */
export const targetCollection =
  (needed: Role): Access<{ collectionId: string }, TargetGrant> =>
  async asker => {
    const granted = await collection(needed)(asker)
    const { id, organization_id: organizationId } = granted.collection
    return { target: { kind: 'collection', id, organizationId }, user: granted.user }
  }

/** The role of a user on a space or collection as it is now; null: none, or it is not there any more. */
export function roleOnTarget(
  ctx: Context,
  { kind, id, organizationId }: Target,
  userId: string,
): Role | null {
  const row = kind === 'space' ? findSpace(ctx.store, id) : findCollection(ctx.store, id)
  // What went to another organization meanwhile is not what the guard let in to.
  if (!row || row.organization_id !== organizationId) return null
  if (!('collection_id' in row)) return roleOnCollection(ctx, row, userId)
  return row.deleted_at === null ? roleOnSpace(ctx, row, userId) : null
}

/** Asks again in a transaction what the guard asked; gives the role. Throws 'missing' or 'forbidden'. */
export function checkTarget(ctx: Context, target: Target, userId: string, needed: Role): Role {
  const role = roleOnTarget(ctx, target, userId)
  if (!role) throw missing(target.kind, target.id)
  if (!atLeast(role, needed))
    throw forbidden(`This needs the role "${needed}" on the ${target.kind}; yours is "${role}".`)
  return role
}
