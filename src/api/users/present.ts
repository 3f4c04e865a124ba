import type { z } from 'zod'
import type { UserRow } from '../../store/tables/rows.ts'
import type { User } from './schema.ts'

/** A user as the API shows one. `base` is what `urls.*` begin with. */
export const presentUser = (row: UserRow, base: string): z.input<typeof User> => ({
  object: 'user',
  id: row.id,
  displayName: row.display_name,
  ...(row.email !== null && { email: row.email }),
  ...(row.photo_url !== null && { photoURL: row.photo_url }),
  urls: { location: `${base}/v1/users/${row.id}` },
})
