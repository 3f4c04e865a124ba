import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { UploadRow } from '../../store/tables/rows.ts'

/** Returns the folder of files that have arrived. */
export const uploadFolder = ({ config }: Pick<Context, 'config'>): string =>
  join(config.dataDir, 'uploads')

/** Returns the path of the file of an upload. */
export const uploadFile = (ctx: Pick<Context, 'config'>, { id }: Pick<UploadRow, 'id'>): string =>
  join(uploadFolder(ctx), id)

const prefix = 'uploads/'

/** Returns the key by which an edit names an upload. */
export const keyOf = ({ id }: Pick<UploadRow, 'id'>): string => prefix + id

/** Returns the id of the upload with a key; undefined for what is no key. */
export const idOfKey = (key: string): string | undefined =>
  /^uploads\/[0-9A-Za-z]{20}$/.test(key) ? key.slice(prefix.length) : undefined

/**
 * Returns the address at which the file of an upload is shown before it is used: in the preview of
 * a page that is being written.
 */
export const shownAt = (ctx: Context, { id }: Pick<UploadRow, 'id'>): string =>
  `${ctx.publicUrl()}/uploads/${id}?signature=${ctx.keys.sign('shown upload', id)}`

/**
 * Runs work on an upload that nothing else uses or removes meanwhile. To hold several at once, take
 * them in the order of their ids.
 */
export const lockUpload = <Result>(
  { locks }: Pick<Context, 'locks'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> => locks.run(`upload ${id}`, work)
