import type { z } from 'zod'
import type { ShareLinkRow } from '../../../store/tables/rows.ts'
import type { ShareLink } from './schema.ts'

/** Returns a share link with its address below the base of the site. */
export const presentShareLink = (
  row: ShareLinkRow,
  { base, key }: { base: string; key: string },
): z.input<typeof ShareLink> => ({
  object: 'share-link',
  id: row.id,
  name: row.name,
  active: row.active === 1,
  createdAt: row.created_at,
  urls: { published: `${base}${key}/` },
})
