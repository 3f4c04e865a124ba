import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { isBranchOutside } from '../branch-outside.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/** Returns the mirrored branches of a space, by name. */
export const listMirroredBranches = (store: Store, spaceId: string): Map<string, Oid> =>
  listMirroredRefs(store, spaceId, 'refs/heads/')

/** Returns the mirrored refs of a space below a prefix that ends with a slash, by name. */
export const listMirroredRefs = (
  store: Store,
  spaceId: string,
  prefix = 'refs/',
): Map<string, Oid> =>
  new Map(
    store
      .all(
        query
          .selectFrom('ref')
          .select(['name', 'oid'])
          .where('space_id', '=', spaceId)
          .where('name', '>', prefix)
          .where('name', '<', `${prefix.slice(0, -1)}0`),
      )
      .map(row => [row.name, row.oid]),
  )

const findRow = new Rows('ref').find('space_id', 'name')

/** Returns the mirrored value of a ref. */
export const findMirroredRef = (store: Store, spaceId: string, name: string): Oid | undefined =>
  store.remember(`ref ${spaceId} ${name}`, () => findRow(store, spaceId, name)?.oid, { spaceId })

/**
 * Returns the mirrored value of the only branch outside the folder `except` (e.g. `refs/heads/x/`),
 * by space id, without spaces that have none or several.
 */
export const findOnlyBranches = (
  store: Store,
  spaceIds: readonly string[],
  except: string,
): Map<string, Oid> =>
  new Map(
    store
      .all(
        sqlRows<{ space_id: string; oid: Oid }>(sql`
          select wanted.value as space_id, min(ref.oid) as oid from json_each(${spaceIds}) as wanted
          join ref on ref.space_id = wanted.value and ${isBranchOutside(except)}
          group by wanted.key, wanted.value having count(*) = 1`),
      )
      .map(row => [row.space_id, row.oid]),
  )

/** Stores the value of a ref; null deletes it. */
export const putMirroredRef = (
  store: Store,
  spaceId: string,
  name: string,
  oid: Oid | null,
): number =>
  oid === null
    ? store.run(query.deleteFrom('ref').where('space_id', '=', spaceId).where('name', '=', name))
    : store.run(
        query
          .insertInto('ref')
          .values({ space_id: spaceId, name, oid })
          .onConflict(conflict => conflict.columns(['space_id', 'name']).doUpdateSet({ oid })),
      )

/** Deletes all refs of a repository. */
export const deleteMirroredRefs = (store: Store, spaceId: string): number =>
  store.run(query.deleteFrom('ref').where('space_id', '=', spaceId))
