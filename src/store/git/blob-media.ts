import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'

const blobMedia = new Rows('blob_media')

/** The size of a blob in bytes and, for an image, its size in pixels. */
export type BlobMedia = { oid: Oid; size: number; width: number | null; height: number | null }

/** Returns the stored sizes of these blobs, by oid. */
export const findBlobMedia = blobMedia.findAll('oid')

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
