import { inMegabytes } from '../../content/image-types.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { insertUpload, sumUploads } from '../../store/spaces/uploads.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { checkOrganizationRoom } from '../repositories/check-quota.ts'
import { keyOf } from './upload-files.ts'

/** How long an address takes a file, in milliseconds. */
const addressMs = 3_600_000

/** What may be announced and not used yet: files, and bytes as a multiple of the largest file. */
const limits = {
  person: { files: 100, times: 10, whose: 'You have' },
  organization: { files: 1_000, times: 40, whose: 'The organization has' },
} as const

/** A file that is announced, and by whom. */
type Announced = {
  organizationId: string
  userId: string
  /** The token whose rights count when the bytes arrive. */
  tokenId: string
  name: string
  size: number
}

/** An upload, where its bytes are sent, and the key by which an edit names it. */
type UploadAddress = { url: string; key: string; row: UploadRow }

/**
 * Makes an upload and the address that takes its bytes for an hour. Call it in the transaction of a
 * write. Throws 'too_large' for a file beyond the limit of the server, 'too_many' for too many
 * files that are not used yet.
 */
export function announceUpload(ctx: Context, announced: Announced): UploadAddress {
  const { organizationId, userId, tokenId, name, size } = announced
  checkUploadSize(ctx, size)
  checkOrganizationRoom(ctx, organizationId)
  checkPending(ctx, announced)
  const now = ctx.now()
  const row = insertUpload(ctx.store, {
    id: randomId(),
    organization_id: organizationId,
    user_id: userId,
    token_id: tokenId,
    name,
    size,
    blob: null,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + addressMs).toISOString(),
  })

  return { url: addressOf(ctx, row), key: keyOf(row), row }
}

/** Throws 'too_large' for a file that is larger than the server takes. */
export function checkUploadSize(ctx: Context, size: number): void {
  const most = ctx.config.maxUploadBytes
  if (size > most)
    throw new Fault(
      'too_large',
      `The file is larger than ${inMegabytes(most)}. Push it with Git, or ask the operator of the server to raise the limit (STEMMA_MAX_UPLOAD_MB).`,
      undefined,
      { label: 'upload_size' },
    )
}

function checkPending(ctx: Context, { organizationId, userId, size }: Announced): void {
  for (const { files, times, whose, of } of [
    { ...limits.person, of: { organizationId, userId } },
    { ...limits.organization, of: { organizationId } },
  ]) {
    const { count, bytes } = sumUploads(ctx.store, of)
    if (count < files && bytes + size <= times * ctx.config.maxUploadBytes) continue
    throw new Fault(
      'too_many_pending',
      `${whose} too many uploads that are not used yet. Use them in an edit, or wait until they expire.`,
      undefined,
      { label: 'uploads', retryAfter: 600 },
    )
  }
}

/** Returns the address that takes the bytes of an upload. */
const addressOf = (ctx: Context, row: UploadRow): string =>
  `${ctx.publicUrl()}/uploads/${row.id}?signature=${ctx.keys.sign('upload', row.id)}`
