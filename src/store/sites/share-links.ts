import { sha256 } from '../../lib/digest.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { ShareLinkRow } from '../tables/rows.ts'

const shareLinks = new Rows('share_link')

/** Returns share links of a site, newest first, from `after` (a `seq`) on. */
export const listShareLinks = shareLinks.page('desc', 'site_id')

/** Returns the number of share links of a site. */
export const countShareLinks = shareLinks.count('site_id')

/** Returns the share link of a site with this id. */
export const findShareLink = shareLinks.find('site_id', 'id')

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
export const updateShareLink = shareLinks.update('id')

/** Deletes a share link. */
export const deleteShareLink = shareLinks.remove('id')
