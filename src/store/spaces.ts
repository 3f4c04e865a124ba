import type { SpaceRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** The space with this id, also when it is deleted but not yet gone. */
export const findSpace = (store: Store, id: string): SpaceRow | undefined =>
  store.get(query.selectFrom('space').selectAll().where('id', '=', id))

/** An organization's spaces that are not deleted, oldest first, `limit` from above `after` (a `seq`). */
export const listSpaces = (store: Store, organizationId: string, limit: number, after = 0): SpaceRow[] =>
  store.all(
    query
      .selectFrom('space')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('deleted_at', 'is', null)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** Every space, deleted ones too, oldest first. */
export const listAllSpaces = (store: Store): SpaceRow[] =>
  store.all(query.selectFrom('space').selectAll().orderBy('seq'))

/** Adds a space. */
export const insertSpace = (
  store: Store,
  row: Pick<SpaceRow, 'id' | 'organization_id' | 'title' | 'created_at' | 'updated_at'> & Partial<SpaceRow>,
): SpaceRow =>
  store.get(
    query
      .insertInto('space')
      .values({
        collection_id: null,
        icon: null,
        language: null,
        default_level: 'inherit',
        created_by: null,
        deleted_at: null,
        ...row,
      })
      .returningAll(),
  ) as SpaceRow

/** Changes a space; the row as it is then. */
export const updateSpace = (
  store: Store,
  id: string,
  set: Partial<Omit<SpaceRow, 'id' | 'seq' | 'created_at'>>,
): SpaceRow | undefined => store.get(query.updateTable('space').set(set).where('id', '=', id).returningAll())

/** Removes a space and every row that belongs to it. */
export const deleteSpace = (store: Store, id: string): number =>
  store.run(query.deleteFrom('space').where('id', '=', id))
