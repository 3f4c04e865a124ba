import { readFile } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { isPlainName } from '../../git/receiving/plain-objects.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import { findUpload } from '../../store/spaces/uploads.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { removeUpload } from './remove-uploads.ts'
import { findFile } from './shared-files.ts'
import { idOfKey, lockUpload } from './upload-files.ts'

/** Files up to this size are read into memory, and checked as what an edit contains itself. */
const wholeBytes = 1_000_000

/** The bytes of an upload: all of them, or where they are on the disk. */
type UploadBytes =
  | { bytes: Uint8Array; unread?: never }
  | { unread: { oid: Oid; size: number; path: string }; bytes?: never }

/** Returns the bytes of the upload with a key, which becomes a file of this name. */
export type TakeUpload = (key: string, name: string) => Promise<UploadBytes>

type Using = { organizationId: string; userId: string; keys: readonly string[] }

/**
 * Runs an edit that uses the uploads with these keys, which are removed once it is made. An edit
 * that fails leaves them. Throws 'invalid' for an upload that is not there, has not arrived, or belongs
 * to another user or organization.
 */
export async function useUploads<Result>(
  ctx: Context,
  { organizationId, userId, keys }: Using,
  edit: (take: TakeUpload) => Promise<Result>,
): Promise<Result> {
  const ids = idsOf(keys)
  const take: TakeUpload = async (key, name) => {
    const row = findOwnUpload(ctx, { organizationId, userId }, key)
    return bytesAt(name, await fileOf(ctx, row, name))
  }

  return locked(ctx, ids, async () => {
    const result = await edit(take)
    await removeAll(ctx, ids, userId)
    return result
  })
}

/** Removes the uploads of a user with these keys, those that are still there. */
export function removeUsedUploads(
  ctx: Context,
  { userId, keys }: Omit<Using, 'organizationId'>,
): Promise<void> {
  const ids = idsOf(keys)
  return locked(ctx, ids, () => removeAll(ctx, ids, userId))
}

async function removeAll(ctx: Context, ids: readonly string[], userId: string): Promise<void> {
  for (const id of ids) await removeUpload(ctx, { id }, userId)
}

/** Returns the ids in keys, in the order in which they are locked. */
const idsOf = (keys: readonly string[]): string[] =>
  [...new Set(keys.flatMap(key => idOfKey(key) ?? []))].sort()

const locked = <Result>(
  ctx: Context,
  [first, ...others]: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> =>
  first === undefined ? work() : lockUpload(ctx, first, () => locked(ctx, others, work))

/** An upload on the disk. */
type UploadFile = { name: string; oid: Oid; size: number; path: string }

/**
 * Runs work on the files of the uploads with these keys, which are removed once it is done. Throws as
 * `useUploads`.
 */
export async function useUploadFiles<Result>(
  ctx: Context,
  { organizationId, userId, keys }: Using,
  work: (files: UploadFile[]) => Promise<Result>,
): Promise<Result> {
  const ids = idsOf(keys)
  return locked(ctx, ids, async () => {
    const files: UploadFile[] = []
    for (const key of keys) {
      const row = findOwnUpload(ctx, { organizationId, userId }, key)
      files.push({ name: row.name, ...(await fileOf(ctx, row, row.name)) })
    }
    const result = await work(files)
    await removeAll(ctx, ids, userId)
    return result
  })
}

/** Returns an upload of a user in an organization. Throws 'invalid' if there is none with this key. */
export function findOwnUpload(
  ctx: Pick<Context, 'store'>,
  { organizationId, userId }: Omit<Using, 'keys'>,
  key: string,
): UploadRow {
  const row = findUpload(ctx.store, idOfKey(key) ?? '')
  const isOwn = row?.user_id === userId && row.organization_id === organizationId
  if (!row || !isOwn)
    throw new Fault(
      'upload_not_found',
      `You have no upload "${key}", or an edit has already used it. Upload the file again.`,
    )
  return row
}

/** Returns the file of an upload. Throws 'invalid' if it has not arrived or is no longer there. */
async function fileOf(
  ctx: Context,
  row: UploadRow,
  name: string,
): Promise<Omit<UploadFile, 'name'>> {
  if (row.blob === null)
    throw new Fault(
      'upload_incomplete',
      `The upload of "${name}" has not arrived: send its bytes to its address first.`,
    )
  const path = await findFile(ctx, row)
  if (path === undefined || row.expires_at <= new Date(ctx.store.time).toISOString())
    throw new Fault(
      'upload_not_found',
      `The upload of "${name}" is no longer there. Send it again.`,
    )
  return { oid: asOid(row.blob), size: row.size, path }
}

/** Returns the bytes of a file that becomes one of a space under this name. */
export async function bytesAt(name: string, file: Omit<UploadFile, 'name'>): Promise<UploadBytes> {
  if (file.size <= wholeBytes) return { bytes: await readFile(file.path) }
  // What such a file contains is checked, and it would have to be read for that.
  if (!isPlainName(Buffer.from(name).toString('latin1'), '100644'))
    throw invalid(
      `A file of more than 1 MB cannot have the name "${name}": Git may take it for a file of its own. Choose another name.`,
    )

  return { unread: { oid: file.oid, size: file.size, path: file.path } }
}
