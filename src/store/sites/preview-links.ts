import { sql } from 'kysely'
import { sha256 } from '../../lib/digest.ts'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { PreviewLinkRow } from '../tables/rows.ts'

const previewLinks = new Rows('preview_link')

/** Returns preview links of a change request, newest first, from `after` (a `seq`) on. */
export const listPreviewLinks = previewLinks.page('desc', 'change_request_id')

/** Returns the number of preview links of a change request. */
export const countPreviewLinks = previewLinks.count('change_request_id')

const ofSite = (siteId: string, spaceIds: readonly string[]) =>
  sql<boolean>`site_id = ${siteId} and space_id in ${among(spaceIds)}`

/** Returns preview links of some spaces on a site, newest first, from `after` (a `seq`) on. */
export const listLinksOfSite = (
  store: Store,
  siteId: string,
  spaceIds: readonly string[],
  limit: number,
  after = Number.MAX_SAFE_INTEGER,
): PreviewLinkRow[] =>
  store.all(
    query
      .selectFrom('preview_link')
      .selectAll()
      .where(ofSite(siteId, spaceIds))
      .where('seq', '<', after)
      .orderBy('seq', 'desc')
      .limit(limit),
  )

/** Returns the ids of the spaces with preview links on a site. */
export const listLinkedSpaces = (store: Store, siteId: string): string[] =>
  store
    .all(
      query.selectFrom('preview_link').select('space_id').distinct().where('site_id', '=', siteId),
    )
    .map(({ space_id }) => space_id)

/** Returns the preview link of a change request with this id. */
export const findPreviewLink = previewLinks.find('change_request_id', 'id')

const findById = previewLinks.find('id')

/** Returns the preview link with an id, from the cache while no row changes. */
export const rememberedPreviewLink = (store: Store, id: string): PreviewLinkRow | undefined =>
  store.remember(`preview link ${id}`, () => findById(store, id))

/** Returns the preview link with this key, expired or not. */
export const findPreviewLinkByKey = (store: Store, key: string): PreviewLinkRow | undefined =>
  store.get(query.selectFrom('preview_link').selectAll().where('key_hash', '=', sha256(key)))

/** Inserts a preview link with a key, of which the row has the hash. */
export const insertPreviewLink = (
  store: Store,
  key: string,
  row: Omit<PreviewLinkRow, 'seq' | 'key_hash'>,
): PreviewLinkRow =>
  store.get(
    query
      .insertInto('preview_link')
      .values({ ...row, key_hash: sha256(key) })
      .returningAll(),
  ) as PreviewLinkRow

/** Deletes the preview links of a change request that had expired at a time. */
export const deleteExpiredPreviewLinks = (store: Store, changeRequestId: string, at: string) =>
  store.run(
    query
      .deleteFrom('preview_link')
      .where('change_request_id', '=', changeRequestId)
      .where('expires_at', '<=', at),
  )

/** Deletes a preview link. */
export const deletePreviewLink = previewLinks.remove('id')
