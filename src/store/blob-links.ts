import { sql } from 'kysely'
import type { Store } from './store.ts'
import { query, sqlRows } from './store.ts'

/** What these blobs name, as this version of the deriver found it earlier: JSON by oid. */
export const findBlobLinks = (store: Store, oids: readonly string[], version: number): Map<string, string> =>
  new Map(
    store
      .all(
        sqlRows<{ oid: string; facts: string }>(
          sql`select oid, facts from blob_links where version = ${version}
              and oid in (select value from json_each(${JSON.stringify(oids)}))`,
        ),
      )
      .map(row => [row.oid, row.facts]),
  )

/** Keeps what blobs name: all of them with one statement. */
export const putBlobLinks = (
  store: Store,
  version: number,
  entries: readonly { oid: string; facts: string }[],
): number =>
  store.run(
    sqlRows(sql`
      insert into blob_links (oid, version, facts)
      select value ->> 0, ${version}, value ->> 1 from json_each(${JSON.stringify(entries.map(entry => [entry.oid, entry.facts]))})
      where true
      on conflict (oid) do update set version = excluded.version, facts = excluded.facts`),
  )

/** Forgets all of it. */
export const deleteBlobLinks = (store: Store): number => store.run(query.deleteFrom('blob_links'))
