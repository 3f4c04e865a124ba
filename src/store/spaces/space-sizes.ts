import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import { findSpace } from './spaces.ts'

const sizes = new Rows('space_size')

const storeSize = sizes.put('space_id')

/**
 * Stores the size of the repository of a space in bytes. Does nothing if the space no longer
 * exists.
 */
export function putSpaceSize(store: Store, spaceId: string, bytes: number, at: string): void {
  if (findSpace(store, spaceId)) storeSize(store, { space_id: spaceId, bytes, measured_at: at })
}

/** Returns whether the size of a space is stored. */
export const hasSpaceSize = (store: Store, spaceId: string): boolean =>
  store.get(query.selectFrom('space_size').select('space_id').where('space_id', '=', spaceId)) !==
  undefined

/** Returns the bytes of all repositories of an organization, as last measured. */
export function sumSpaceSizes(store: Store, organizationId: string): number {
  const ids = store
    .all(query.selectFrom('space').select('id').where('organization_id', '=', organizationId))
    .map(({ id }) => id)
  const sum = store.get(
    sqlRows<{ bytes: number | null }>(sql`
      select sum(bytes) as bytes from space_size
      where space_id in (select value from json_each(${ids}))`),
  )
  return Number(sum?.bytes ?? 0)
}
