import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** What is derived from blobs, a table each: what pages say of themselves, and what they link to. */
export type BlobFacts = 'blob_facts' | 'blob_links'

/** What was derived earlier from these blobs by this version of the deriver: JSON by oid. */
export const findBlobFacts = (
  store: Store,
  table: BlobFacts,
  oids: readonly string[],
  version: number,
): Map<string, string> =>
  new Map(
    store
      .all(
        sqlRows<{ oid: string; facts: string }>(
          sql`select oid, facts from ${sql.table(table)} where version = ${version}
              and oid in (select value from json_each(${JSON.stringify(oids)}))`,
        ),
      )
      .map(row => [row.oid, row.facts]),
  )

/** Keeps what was derived from blobs: all of them with one statement, as there may be ten thousand. */
export const putBlobFacts = (
  store: Store,
  table: BlobFacts,
  version: number,
  entries: readonly { oid: string; facts: string }[],
): number =>
  store.run(
    sqlRows(sql`
      insert into ${sql.table(table)} (oid, version, facts)
      select value ->> 0, ${version}, value ->> 1 from json_each(${JSON.stringify(entries.map(entry => [entry.oid, entry.facts]))})
      where true
      on conflict (oid) do update set version = excluded.version, facts = excluded.facts`),
  )

/** Forgets everything that was derived. */
export const deleteBlobFacts = (store: Store, table: BlobFacts): number => store.run(query.deleteFrom(table))
