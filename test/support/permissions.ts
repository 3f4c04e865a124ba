import { query, type Store } from '../../src/store/store.ts'
import type { PermissionRow } from '../../src/store/tables/rows.ts'

/** Returns the permissions on a space or collection itself. */
export const listPermissions = (
  store: Store,
  kind: PermissionRow['target_kind'],
  targetId: string,
): PermissionRow[] =>
  store.all(
    query
      .selectFrom('permission')
      .selectAll()
      .where('target_kind', '=', kind)
      .where('target_id', '=', targetId)
      .orderBy('subject_kind')
      .orderBy('subject_id'),
  )
