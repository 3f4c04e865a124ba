import type { z } from 'zod'
import { atLeast } from '../../../access/roles.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { CollectionRow } from '../../../store/tables/rows.ts'
import type { Collection } from './schema.ts'

/** Returns a collection as a user with this role sees it. `base` is the prefix of `urls.*`. */
export function presentCollection(
  row: CollectionRow,
  role: Role,
  base: string,
): z.input<typeof Collection> {
  const location = `${base}/v1/collections/${row.id}`
  const admin = role === 'admin'
  return {
    object: 'collection',
    id: row.id,
    title: row.title,
    ...(row.description !== null && { description: row.description }),
    organization: row.organization_id,
    ...(row.parent_id !== null && { parent: row.parent_id }),
    defaultLevel: row.default_level,
    urls: { location, app: location },
    permissions: { view: true, admin, viewInviteLinks: admin, create: atLeast(role, 'create') },
  }
}
