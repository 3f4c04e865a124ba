import { Rows } from '../rows.ts'
import { query, type Store } from '../store.ts'

const parts = new Rows('upload_part')

/** Inserts a part of an upload's file, counted from 0, unless it is there. */
export const insertUploadPart = parts.insertNew

/** Returns the bytes of a part of an upload's file; undefined: it has no such part. */
export const findUploadPart = (
  store: Store,
  { id, blob }: { id: string; blob: string },
  part: number,
): Uint8Array | undefined =>
  store.get(
    query
      .selectFrom('upload_part')
      .select('bytes')
      .where('upload_id', '=', id)
      .where('blob', '=', blob)
      .where('part', '=', part),
  )?.bytes
