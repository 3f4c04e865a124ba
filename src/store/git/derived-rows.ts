import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/**
 * The tables of derived.db with rows of spaces, each with an index that begins with the id of the
 * space.
 */
const ofSpace = [
  'revision',
  'revision_path',
  'former_path',
  'former_path_scan',
  'search_space',
  'space_size',
] as const

/**
 * Returns the ids of spaces that have rows in derived.db but no longer exist. Reads one row per
 * space and table.
 */
export function listDerivedOrphans(store: Store): string[] {
  const found = ofSpace.flatMap(table =>
    store.all(
      sqlRows<{ id: string }>(sql`
        with recursive known (id) as (
          select min(space_id) from ${sql.table(table)}
          union all
          select (select min(space_id) from ${sql.table(table)} where space_id > known.id) from known
          where known.id is not null
        )
        select id from known where id is not null`),
    ),
  )
  const ids = [...new Set(found.map(row => row.id))]

  return store
    .all(
      sqlRows<{ id: string }>(sql`
        select named.value as id from json_each(${ids}) as named
        where named.value not in (select id from space)`),
    )
    .map(row => row.id)
}

/**
 * Deletes from derived.db up to `limit` rows each of the revisions, changed paths and former paths
 * of a space, and its size. Returns the number of deleted rows.
 */
export const deleteSomeDerived = (store: Store, spaceId: string, limit: number): number =>
  store.transact(
    () =>
      store.run(
        sqlRows(sql`
          delete from revision where space_id = ${spaceId}
            and seq in (select seq from revision where space_id = ${spaceId} limit ${limit})`),
      ) +
      store.run(
        sqlRows(sql`
          delete from revision_path where (space_id, path, seq) in (
            select space_id, path, seq from revision_path where space_id = ${spaceId} limit ${limit})`),
      ) +
      store.run(
        sqlRows(sql`
          delete from former_path where (space_id, path, seq) in (
            select space_id, path, seq from former_path where space_id = ${spaceId} limit ${limit})`),
      ) +
      store.run(query.deleteFrom('former_path_scan').where('space_id', '=', spaceId)) +
      store.run(query.deleteFrom('space_size').where('space_id', '=', spaceId)),
  )
