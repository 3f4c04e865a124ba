import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** A space or a collection with its position among its siblings. */
export type Sibling = { kind: 'space' | 'collection'; id: string; position: number }

/**
 * Returns the contents of a collection, or of the top level (parent null), in order and without
 * deleted spaces.
 */
export const listSiblings = (
  store: Store,
  organizationId: string,
  parentId: string | null,
): Sibling[] =>
  store.all(
    sqlRows<Sibling>(sql`
      select 'space' as kind, id, position, created_at from space
      where organization_id = ${organizationId} and collection_id is not distinct from ${parentId} and deleted_at is null
      union all
      select 'collection' as kind, id, position, created_at from collection
      where organization_id = ${organizationId} and parent_id is not distinct from ${parentId}
      order by position, created_at, id`),
  )

/** Returns the position after the contents of a collection, or of the top level (parent null). */
export const nextPosition = (
  store: Store,
  organizationId: string,
  parentId: string | null,
): number =>
  store.get(
    sqlRows<{ next: number }>(sql`
      select 1 + coalesce(max(position), 0) as next from (
        select max(position) as position from space
        where organization_id = ${organizationId} and collection_id is not distinct from ${parentId}
        union all
        select max(position) from collection
        where organization_id = ${organizationId} and parent_id is not distinct from ${parentId}) as last`),
  )?.next ?? 1

/** Sets the position of a space or collection. */
export const setPosition = (
  store: Store,
  { kind, id }: Omit<Sibling, 'position'>,
  position: number,
): number => store.run(query.updateTable(kind).set({ position }).where('id', '=', id))
