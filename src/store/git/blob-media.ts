import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** What is known of a blob as a file: its size in bytes and, of an image, its size in pixels. */
export type BlobMedia = { oid: string; size: number; width: number | null; height: number | null }

/** What is known of these blobs, by oid. */
export const findBlobMedia = (store: Store, oids: readonly string[]): Map<string, BlobMedia> =>
  new Map(
    store
      .all(
        sqlRows<BlobMedia>(
          sql`select oid, size, width, height from blob_media
              where oid in (select value from json_each(${JSON.stringify(oids)}))`,
        ),
      )
      .map(row => [row.oid, row]),
  )

/** Keeps what was found out about blobs. */
export const putBlobMedia = (store: Store, rows: readonly BlobMedia[]): void =>
  store.transact(() => {
    for (const row of rows)
      store.run(
        query
          .insertInto('blob_media')
          .values(row)
          .onConflict(conflict => conflict.column('oid').doUpdateSet(row)),
      )
  })

/** Forgets all of it. */
export const deleteBlobMedia = (store: Store): number => store.run(query.deleteFrom('blob_media'))
