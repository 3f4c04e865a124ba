import type { z } from 'zod'
import type { UserRow } from '../../../store/tables/rows.ts'
import type { User } from './schema.ts'

/** Returns a user as the API shows it. `base` is the prefix of `urls.*`. */
export const presentUser = (row: UserRow, base: string): z.input<typeof User> => ({
  object: 'user',
  id: row.id,
  displayName: row.display_name,
  ...(row.email !== null && { email: row.email }),
  ...(row.photo_url !== null && { photoURL: row.photo_url }),
  urls: { location: `${base}/v1/users/${row.id}` },
})
