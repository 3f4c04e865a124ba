import type { z } from 'zod'
import type { PreviewLinkRow } from '../../../../store/tables/rows.ts'
import type { PreviewLink } from './schema.ts'

/** Returns a preview link; with its address only when it was just created. */
export const presentPreviewLink = (
  row: PreviewLinkRow,
  url?: string,
): z.input<typeof PreviewLink> => ({
  object: 'preview-link',
  id: row.id,
  site: row.site_id,
  space: row.space_id,
  changeRequest: row.change_request_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  ...(url !== undefined && { url }),
})
