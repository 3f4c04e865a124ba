import type { z } from 'zod'
import type { SessionRow } from '../../../store/tables/rows.ts'
import type { Session } from './schema.ts'

/** Returns a session as the API shows it. `base` is the prefix of `urls.*`. */
export const presentSession = (row: SessionRow, base: string): z.input<typeof Session> => ({
  object: 'session',
  id: row.id,
  token: row.token_id,
  ...(row.provider_id !== null && { provider: row.provider_id }),
  ...(row.organization_id !== null && { organization: row.organization_id }),
  ...(row.user_agent !== null && { userAgent: row.user_agent }),
  ...(row.address !== null && { address: row.address }),
  createdAt: row.created_at,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  expiresAt: row.expires_at,
  urls: { location: `${base}/v1/user/sessions/${row.id}` },
})
