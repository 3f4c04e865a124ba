import { sha256 } from '../../lib/digest.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { ShareLinkRow } from '../tables/rows.ts'

/** Returns share links of a site, newest first, from `after` (a `seq`) on. */
export const listShareLinks = (
  store: Store,
  siteId: string,
  limit: number,
  after = Number.MAX_SAFE_INTEGER,
): ShareLinkRow[] =>
  store.all(
    query
      .selectFrom('share_link')
      .selectAll()
      .where('site_id', '=', siteId)
      .where('seq', '<', after)
      .orderBy('seq', 'desc')
      .limit(limit),
  )

/** Returns the number of share links of a site. */
export const countShareLinks = (store: Store, siteId: string): number =>
  store.get(
    query
      .selectFrom('share_link')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('site_id', '=', siteId),
  )?.count ?? 0

/** Returns the share link of a site with this id. */
export const findShareLink = (store: Store, siteId: string, id: string): ShareLinkRow | undefined =>
  store.get(
    query.selectFrom('share_link').selectAll().where('id', '=', id).where('site_id', '=', siteId),
  )

/** Returns the share link of any site with this key, active or not. */
export const findShareLinkByKey = (store: Store, key: string): ShareLinkRow | undefined =>
  store.get(query.selectFrom('share_link').selectAll().where('key_hash', '=', sha256(key)))

/**
 * Returns the active share link of a site with this key. The work is the same for every wrong key:
 * unknown ones, and keys of inactive links and of other sites.
 */
export function findActiveShareLink(
  store: Store,
  siteId: string,
  key: string,
): ShareLinkRow | undefined {
  const row = findShareLinkByKey(store, key)
  return row?.site_id === siteId && row.active === 1 ? row : undefined
}

/** Inserts an active share link with a key, which the row has as a hash and as a sealed text. */
export const insertShareLink = (
  store: Store,
  key: string,
  row: Pick<ShareLinkRow, 'id' | 'site_id' | 'name' | 'key_sealed' | 'created_by' | 'created_at'>,
): ShareLinkRow =>
  store.get(
    query
      .insertInto('share_link')
      .values({ ...row, key_hash: sha256(key) })
      .returningAll(),
  ) as ShareLinkRow

/** Updates a share link. Returns the new row. */
export const updateShareLink = (
  store: Store,
  id: string,
  set: Partial<Pick<ShareLinkRow, 'name' | 'active'>>,
): ShareLinkRow | undefined =>
  store.get(query.updateTable('share_link').set(set).where('id', '=', id).returningAll())

/** Deletes a share link. */
export const deleteShareLink = (store: Store, id: string): number =>
  store.run(query.deleteFrom('share_link').where('id', '=', id))
