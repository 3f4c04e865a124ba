import type { z } from 'zod'
import type { SiteRedirectRow } from '../../../store/tables/rows.ts'
import type { SiteRedirect } from './schema.ts'

/** Returns a redirect as the API shows it. */
export const presentRedirect = (row: SiteRedirectRow): z.input<typeof SiteRedirect> => ({
  object: 'site-redirect',
  id: row.id,
  source: row.source,
  destination: row.destination,
  draft: false,
  captureWildcard: false,
  permanent: false,
  createdAt: row.created_at,
})
