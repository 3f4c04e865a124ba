import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { rememberedSite } from '../../store/sites/sites.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { roleOnSite } from '../site-roles.ts'
import { roleOnSpace } from '../space-role.ts'
import { collection, roleOnCollection } from './collection.ts'
import { needing } from './needing.ts'
import { type SitePath, site } from './site.ts'
import { space } from './space.ts'

/** A target of grants that spaces inherit from or are: a space or a collection. */
export type Target = { kind: 'space' | 'collection'; id: string; organizationId: string }

/** A site as a target of grants, which give no role on its spaces. */
export type SiteTarget = { kind: 'site'; id: string; organizationId: string }

export type TargetGrant = { target: Target | SiteTarget; user: UserRow }

/** Admits users with at least the role `needed` in the space of the path. */
export const targetSpace = (needed: Role): Access<{ spaceId: string }, TargetGrant> =>
  needing({ role: needed, on: 'space' }, asker => {
    const granted = space(needed)(asker)
    const { id, organization_id: organizationId } = granted.space
    return { target: { kind: 'space', id, organizationId }, user: granted.user }
  })

/** Admits users with at least the role `needed` on the collection of the path. */
export const targetCollection = (needed: Role): Access<{ collectionId: string }, TargetGrant> =>
  needing({ role: needed, on: 'collection' }, asker => {
    const granted = collection(needed)(asker)
    const { id, organization_id: organizationId } = granted.collection
    return { target: { kind: 'collection', id, organizationId }, user: granted.user }
  })

/** Admits users with at least the role `needed` on the site of the path. */
export const targetSite = (needed: Role): Access<SitePath, TargetGrant> =>
  needing({ role: needed, on: 'site' }, asker => {
    const { site: row, user } = site(needed)(asker)
    return { target: { kind: 'site', id: row.id, organizationId: row.organization_id }, user }
  })

/**
 * Returns the current role of a user on a space, collection or site; null for none, or if it no
 * longer exists.
 */
export function roleOnTarget(
  ctx: Context,
  { kind, id, organizationId }: Target | SiteTarget,
  userId: string,
): Role | null {
  if (kind === 'site') {
    const row = rememberedSite(ctx.store, organizationId, id)
    return row ? roleOnSite(ctx, row, userId) : null
  }

  const row = kind === 'space' ? findSpace(ctx.store, id) : findCollection(ctx.store, id)

  // An item that has moved to another organization is no longer the target.
  if (!row || row.organization_id !== organizationId) return null
  if (!('collection_id' in row)) return roleOnCollection(ctx, row, userId)

  return row.deleted_at === null ? roleOnSpace(ctx, row, userId) : null
}

/** Throws 'missing' for users without a role on the target, 'forbidden' below `needed`. */
export function checkTarget(
  ctx: Context,
  target: Target | SiteTarget,
  userId: string,
  needed: Role,
): void {
  const role = roleOnTarget(ctx, target, userId)
  if (!role) throw missing(target.kind, target.id)
  if (!atLeast(role, needed))
    throw new Fault(
      'role_required',
      `This needs the role "${needed}" on the ${target.kind}; yours is "${role}".`,
    )
}
