import { sql } from 'kysely'
import type { Store } from './store.ts'
import { query, sqlRows } from './store.ts'

/** What was derived earlier from these blobs by this version of the deriver: JSON by oid. */
export const findBlobFacts = (store: Store, oids: readonly string[], version: number): Map<string, string> =>
  new Map(
    store
      .all(
        sqlRows<{ oid: string; facts: string }>(
          sql`select oid, facts from blob_facts where version = ${version}
              and oid in (select value from json_each(${JSON.stringify(oids)}))`,
        ),
      )
      .map(row => [row.oid, row.facts]),
  )

/** Keeps what was derived from blobs. */
export const putBlobFacts = (
  store: Store,
  version: number,
  entries: readonly { oid: string; facts: string }[],
): void =>
  store.transact(() => {
    for (const { oid, facts } of entries) {
      store.run(
        query
          .insertInto('blob_facts')
          .values({ oid, version, facts })
          .onConflict(conflict => conflict.column('oid').doUpdateSet({ version, facts })),
      )
    }
  })

/** Forgets everything that was derived. */
export const deleteBlobFacts = (store: Store): number => store.run(query.deleteFrom('blob_facts'))
