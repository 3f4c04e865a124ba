import { Rows } from '../rows.ts'
import { query, type Store } from '../store.ts'
import type { UploadRow } from '../tables/rows.ts'

const uploads = new Rows('upload')

export const findUpload = uploads.find('id')
export const insertUpload = uploads.insert
export const updateUpload = uploads.update('id')
export const deleteUpload = uploads.remove('id')

/** Records that the file of an upload has arrived. Returns 0 if it is gone, or has a file. */
export const markArrived = (
  store: Store,
  id: string,
  arrived: Pick<UploadRow, 'size' | 'expires_at'> & { blob: string },
): number =>
  store.run(query.updateTable('upload').set(arrived).where('id', '=', id).where('blob', 'is', null))

/** Whose uploads are counted. */
type Whose = { organizationId: string; userId?: string }

/** Returns the number of uploads of an organization, or of a user in it, and their bytes. */
export function sumUploads(
  store: Store,
  { organizationId, userId }: Whose,
): { count: number; bytes: number } {
  const all = query
    .selectFrom('upload')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('size').as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
  const row = store.get(userId === undefined ? all : all.where('user_id', '=', userId))
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
}

/** Returns up to `limit` uploads that had expired at a time, the oldest first. */
export const listExpiredUploads = (store: Store, at: string, limit: number): UploadRow[] =>
  store.all(
    query
      .selectFrom('upload')
      .selectAll()
      .where('expires_at', '<=', at)
      .orderBy('expires_at')
      .limit(limit),
  )
