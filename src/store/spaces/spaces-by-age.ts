import type { Outline } from '../people/roles-of-user.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'

/**
 * Returns up to `limit` spaces of an organization after the space with this `seq`, without deleted
 * ones, by creation, oldest or newest first.
 */
export function listSpacesByAge(
  store: Store,
  organizationId: string,
  order: 'asc' | 'desc',
  limit: number,
  after?: number,
): (Outline & { seq: number })[] {
  let select = query
    .selectFrom('space')
    .select(['id', 'collection_id as parent_id', 'default_level', 'seq'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
  if (after !== undefined) select = select.where('seq', order === 'asc' ? '>' : '<', after)
  return store.all(select.orderBy('seq', order).limit(limit))
}
