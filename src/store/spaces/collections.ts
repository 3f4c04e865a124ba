import { sql } from 'kysely'
import { copyPermissions, deletePermissionsOf } from '../people/permissions.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { CollectionRow, SpaceRow } from '../tables/rows.ts'
import type { AfterPosition, Placed } from './spaces.ts'

const collections = new Rows('collection')

/** Returns the collection with this id. */
export const findCollection = collections.find('id')

/**
 * Returns up to `limit` collections of an organization after `after`, ordered by position within a
 * parent; only those at the top level if `nested` is false.
 */
export function listCollections(
  store: Store,
  organizationId: string,
  { nested }: { nested: boolean },
  limit: number,
  after: AfterPosition = [-1, 0],
): Placed[] {
  let select = query
    .selectFrom('collection')
    .select(['id', 'parent_id', 'default_level', 'position', 'seq'])
    .where('organization_id', '=', organizationId)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('position', 'seq'), '>', tuple(after[0], after[1])),
    )
  if (!nested) select = select.where('parent_id', 'is', null)
  return store.all(select.orderBy('position').orderBy('seq').limit(limit))
}

/** Returns the collections with these ids, by id. */
export const findCollections = collections.findAll('id')

/** Inserts a collection. */
export const insertCollection = (
  store: Store,
  row: Pick<
    CollectionRow,
    'id' | 'organization_id' | 'parent_id' | 'title' | 'position' | 'created_at'
  >,
): CollectionRow =>
  store.get(
    query
      .insertInto('collection')
      .values({ ...row, description: null, default_level: 'inherit', updated_at: row.created_at })
      .returningAll(),
  ) as CollectionRow

/** Updates a collection. Returns the new row. */
export const updateCollection = collections.update('id')

/**
 * Deletes a collection that contains only deleted spaces, which move to its parent without becoming
 * visible to more users. Returns false without changes if the collection contains anything else.
 */
export const deleteCollection = (store: Store, row: CollectionRow, at: string): boolean =>
  store.transact(() => {
    if (holdsAnything(store, row.id)) return false
    const spaces = store.all(
      query.selectFrom('space').select(['id', 'default_level']).where('collection_id', '=', row.id),
    )
    for (const { id, default_level } of spaces) {
      copyPermissions(store, { kind: 'collection', id: row.id }, id, at)
      const set = {
        collection_id: row.parent_id,
        default_level: default_level === 'inherit' ? row.default_level : default_level,
      }
      store.run(query.updateTable('space').set(set).where('id', '=', id))
    }

    deletePermissionsOf(store, 'collection', row.id)
    store.run(query.deleteFrom('collection').where('id', '=', row.id))

    return true
  })

function holdsAnything(store: Store, id: string): boolean {
  const space = query
    .selectFrom('space')
    .select('id')
    .where('collection_id', '=', id)
    .where('deleted_at', 'is', null)
  const collection = query.selectFrom('collection').select('id').where('parent_id', '=', id)
  return store.get(space.limit(1)) !== undefined || store.get(collection.limit(1)) !== undefined
}

/** Returns the ids of a collection and its ancestors, nearest first. */
export const listAncestry = (store: Store, id: string): string[] =>
  store
    .all(
      sqlRows<{ id: string }>(sql`
        with recursive line(id, parent_id, depth) as (
          select id, parent_id, 1 from collection where id = ${id}
          union all
          select collection.id, collection.parent_id, line.depth + 1
          from line join collection on collection.id = line.parent_id where line.depth < 100
        )
        select id from line order by depth`),
    )
    .map(row => row.id)

const below = (id: string) => sql`
  with recursive below(id, depth) as (
    select id, 1 from collection where id = ${id}
    union all
    select collection.id, below.depth + 1
    from below join collection on collection.parent_id = below.id where below.depth < 100
  )`

/** Returns the number of nested levels of a collection: 1 if it contains no collection. */
export const levelsBelow = (store: Store, id: string): number =>
  store.get(sqlRows<{ levels: number }>(sql`${below(id)} select max(depth) as levels from below`))
    ?.levels ?? 0

/** Returns the ids of a collection and of all collections in it, at any depth. */
export const listCollectionsBelow = (store: Store, id: string): string[] =>
  store
    .all(sqlRows<{ id: string }>(sql`${below(id)} select id from below order by depth`))
    .map(row => row.id)

/** Returns the spaces in a collection at any depth, including deleted ones. */
export const listSpacesBelow = (store: Store, id: string): SpaceRow[] =>
  store.all(
    sqlRows<SpaceRow>(
      sql`${below(id)} select space.* from space where collection_id in (select id from below) order by seq`,
    ),
  )
