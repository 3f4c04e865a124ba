import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** The size of a blob in bytes and, for an image, its size in pixels. */
export type BlobMedia = { oid: Oid; size: number; width: number | null; height: number | null }

/** Returns the stored sizes of these blobs, by oid. */
export const findBlobMedia = (store: Store, oids: readonly Oid[]): Map<string, BlobMedia> =>
  new Map(
    store
      .all(
        sqlRows<BlobMedia>(
          sql`select oid, size, width, height from blob_media
              where oid in (select value from json_each(${oids}))`,
        ),
      )
      .map(row => [row.oid, row]),
  )

/** Stores sizes of blobs. */
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

/** Deletes all stored sizes. */
export const deleteBlobMedia = (store: Store): number => store.run(query.deleteFrom('blob_media'))
