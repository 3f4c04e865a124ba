import type { z } from 'zod'
import type { TokenRow, UserRow } from '../../store/rows.ts'
import type { Token, User } from './schema.ts'

/** A user as the API shows one. `base` is what `urls.*` begin with. */
export const presentUser = (row: UserRow, base: string): z.input<typeof User> => ({
  object: 'user',
  id: row.id,
  displayName: row.display_name,
  ...(row.email !== null && { email: row.email }),
  ...(row.photo_url !== null && { photoURL: row.photo_url }),
  urls: { location: `${base}/v1/users/${row.id}` },
})

/** A token without its secret. */
export const presentToken = (row: TokenRow, base: string): z.input<typeof Token> => ({
  object: 'token',
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  urls: { location: `${base}/v1/user/tokens/${row.id}` },
})
