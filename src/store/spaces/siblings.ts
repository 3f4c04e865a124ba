import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** A space or a collection among those that lie beside it. */
export type Sibling = { kind: 'space' | 'collection'; id: string; position: number }

/** What lies in a collection, or at the top of an organization (parent null), in its order; deleted spaces do not count. */
export const listSiblings = (store: Store, organizationId: string, parentId: string | null): Sibling[] =>
  store.all(
    sqlRows<Sibling>(sql`
      select 'space' as kind, id, position, created_at from space
      where organization_id = ${organizationId} and collection_id is ${parentId} and deleted_at is null
      union all
      select 'collection' as kind, id, position, created_at from collection
      where organization_id = ${organizationId} and parent_id is ${parentId}
      order by position, created_at, id`),
  )

/** The position behind everything that lies in a collection, or at the top of an organization (parent null). */
export const nextPosition = (store: Store, organizationId: string, parentId: string | null): number =>
  store.get(
    sqlRows<{ next: number }>(sql`
      select 1 + max(
        coalesce((select max(position) from space
          where organization_id = ${organizationId} and collection_id is ${parentId}), 0),
        coalesce((select max(position) from collection
          where organization_id = ${organizationId} and parent_id is ${parentId}), 0)) as next`),
  )?.next ?? 1

/** Gives a space or collection its position. */
export const setPosition = (
  store: Store,
  { kind, id }: Omit<Sibling, 'position'>,
  position: number,
): number => store.run(query.updateTable(kind).set({ position }).where('id', '=', id))
