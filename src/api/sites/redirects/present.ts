import type { z } from 'zod'
import type { SiteRedirectRow } from '../../../store/tables/rows.ts'
import type { SiteRedirect } from './schema.ts'

/** Returns a redirect as the API shows it. */
export const presentRedirect = (row: SiteRedirectRow): z.input<typeof SiteRedirect> => ({
  object: 'site-redirect',
  id: row.id,
  source: row.source,
  destination: row.destination,
  draft: row.draft === 1,
  captureWildcard: row.capture_wildcard === 1,
  permanent: row.permanent === 1,
  createdAt: row.created_at,
  ...(row.updated_at !== null && { updatedAt: row.updated_at }),
})
