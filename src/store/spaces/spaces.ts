import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { deletePermissionsOf } from '../people/permissions.ts'
import type { Outline } from '../people/roles-of-user.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SpaceRow } from '../tables/rows.ts'

const spaceRows = new Rows('space')

/** Returns the space with this id, including a deleted one that is not yet purged. */
export const findSpace = spaceRows.find('id')

/** Returns the space with this id like `findSpace`, from the cache while its row stays the same. */
export const rememberedSpace = (store: Store, id: string): SpaceRow | undefined =>
  store.remember(`space ${id}`, () => findSpace(store, id), { spaceId: id })

/** The position in a list: after the row with this position and `seq`. */
export type AfterPosition = [position: number, seq: number]

/** An outline with the columns that decide its place in a list and its visibility. */
export type Placed = Outline & { position: number; seq: number }

/** Spaces with these ids, or in these collections. */
export type Candidates = { spaces: readonly string[]; collections: readonly string[] }

const isAmong = ({ spaces, collections }: Candidates) => sql<boolean>`(
  id in ${among(spaces)} or collection_id in ${among(collections)})`

/** The spaces of an organization, those with some words in their titles, or those directly in a collection. */
type Within = { organizationId: string; title?: string | undefined } | { collectionId: string }

/**
 * Returns up to `limit` spaces after `after`, ordered by position within a collection, without
 * deleted ones; only candidates, if given.
 */
export function listSpaces(
  store: Store,
  within: Within,
  limit: number,
  after: AfterPosition = [-1, 0],
  among?: Candidates,
): Placed[] {
  let select = query
    .selectFrom('space')
    .select(['id', 'collection_id as parent_id', 'default_level', 'position', 'seq'])
    .where('deleted_at', 'is', null)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('position', 'seq'), '>', tuple(after[0], after[1])),
    )
    .orderBy('position')
    .orderBy('seq')
    .limit(limit)
  if (among) select = select.where(isAmong(among))
  if ('title' in within && within.title)
    select = select.where(sql<boolean>`instr(folded(title), folded(${within.title})) > 0`)
  return store.all(
    'organizationId' in within
      ? select.where('organization_id', '=', within.organizationId)
      : select.where('collection_id', '=', within.collectionId),
  )
}

/** The position in a list of deleted spaces: after the row with this time and `seq`. */
export type AfterDeletion = [deletedAt: string, seq: number]

/** Returns up to `limit` deleted spaces of an organization after `after`, the last deleted first. */
export function listDeletedSpaces(
  store: Store,
  organizationId: string,
  limit: number,
  after?: AfterDeletion,
): SpaceRow[] {
  let select = query
    .selectFrom('space')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is not', null)
  if (after)
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('deleted_at', 'seq'), '<', tuple(after[0], after[1])),
    )
  return store.all(select.orderBy('deleted_at', 'desc').orderBy('seq', 'desc').limit(limit))
}

/** Returns the spaces with these ids, by id. */
export const findSpaces = spaceRows.findAll('id')

/** Returns every space, including deleted ones, oldest first. */
export const listAllSpaces = spaceRows.list('seq')

/** Inserts a space. */
export const insertSpace = (
  store: Store,
  row: Pick<SpaceRow, 'id' | 'organization_id' | 'title' | 'created_at' | 'updated_at'> &
    Partial<SpaceRow>,
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

/** Updates a space. Returns the new row. */
export const updateSpace = spaceRows.update('id')

/** Updates a space, like `updateSpace`, without returning it. */
export const setSpace = spaceRows.set('id')

/** Deletes a space and every row of stemma.db that belongs to it. */
export const deleteSpace = (store: Store, id: string): void =>
  store.transact(() => {
    deletePermissionsOf(store, 'space', id)
    store.run(query.deleteFrom('operation').where('space_id', '=', id))
    store.run(query.deleteFrom('ref').where('space_id', '=', id))
    store.run(query.deleteFrom('space').where('id', '=', id))
  })

/** Returns the number of spaces of an organization that are not deleted. */
export const countLiveSpaces = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('space')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('deleted_at', 'is', null),
  )?.count ?? 0

/**
 * Returns whether a space has nothing but its first commit and never had a change request, so that
 * it can take over a history unchanged.
 */
export const isUntouched = (space: Pick<SpaceRow, 'pristine' | 'last_change_request'>): boolean =>
  Boolean(space.pristine) && space.last_change_request === 0
