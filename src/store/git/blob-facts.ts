import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** The tables of facts derived from blobs: facts of pages, and their links. */
type BlobFacts = 'blob_facts' | 'blob_links'

/** Returns the facts that this version of the deriver stored for these blobs: JSON by oid. */
export const findBlobFacts = (
  store: Store,
  table: BlobFacts,
  oids: readonly Oid[],
  version: number,
): Map<string, string> =>
  new Map(
    store
      .all(
        sqlRows<{ oid: Oid; facts: string }>(
          sql`select oid, facts from ${sql.table(table)} where version = ${version}
              and oid in (select value from json_each(${oids}))`,
        ),
      )
      .map(row => [row.oid, row.facts]),
  )

/** Stores facts of blobs with one statement, because there may be ten thousand. */
export const putBlobFacts = (
  store: Store,
  table: BlobFacts,
  version: number,
  entries: readonly { oid: Oid; facts: string }[],
): number =>
  store.run(
    sqlRows(sql`
      insert into ${sql.table(table)} (oid, version, facts)
      select value ->> 0, ${version}, value ->> 1 from json_each(${entries.map(entry => [entry.oid, entry.facts])})
      where true
      on conflict (oid) do update set version = excluded.version, facts = excluded.facts`),
  )

/** Deletes all derived facts. */
export const deleteBlobFacts = (store: Store, table: BlobFacts): number =>
  store.run(query.deleteFrom(table))
