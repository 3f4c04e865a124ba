import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SiteAliasRow, SiteRow } from '../tables/rows.ts'

/** The number of former paths that are kept for each target. */
const mostAliases = 20

/**
 * The place of a path: among the basenames of an organization, the root of a site, or a section.
 */
export type AliasPlace = { organizationId: string; siteId: string | null; scope: string }

const inPlace = ({ organizationId, siteId, scope }: AliasPlace) =>
  sql<boolean>`organization_id = ${organizationId} and coalesce(site_id, '') = ${siteId ?? ''} and scope = ${scope}`

/** Returns the former path at a place. */
export const findAlias = (
  store: Store,
  place: AliasPlace,
  path: string,
): SiteAliasRow | undefined =>
  store.get(
    query.selectFrom('site_alias').selectAll().where(inPlace(place)).where('path', '=', path),
  )

/** Returns whether a site has former paths of its sections and site spaces. */
export const hasAliases = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
): boolean =>
  store.remember(
    `aliases in ${id}`,
    () =>
      store.get(query.selectFrom('site_alias').select('seq').where('site_id', '=', id).limit(1)) !==
      undefined,
    { organizationId },
  )

/** Returns the newest former path at a place. */
export const findLastAlias = (store: Store, place: AliasPlace): SiteAliasRow | undefined =>
  store.get(
    query
      .selectFrom('site_alias')
      .selectAll()
      .where(inPlace(place))
      .orderBy('seq', 'desc')
      .limit(1),
  )

/** Returns the former paths at a place, oldest first. */
export const listAliases = (store: Store, place: AliasPlace): SiteAliasRow[] =>
  store.all(query.selectFrom('site_alias').selectAll().where(inPlace(place)).orderBy('seq'))

/**
 * Records a former path, in place of an older one with the same text; the oldest beyond 20 of a
 * target are dropped.
 */
export const putAlias = (
  store: Store,
  { organizationId, siteId, scope }: AliasPlace,
  path: string,
  target: { kind: SiteAliasRow['target_kind']; id: string },
  at: string,
): void =>
  store.transact(() => {
    dropAlias(store, { organizationId, siteId, scope }, path)
    store.run(
      query.insertInto('site_alias').values({
        organization_id: organizationId,
        site_id: siteId,
        scope,
        path,
        target_kind: target.kind,
        target_id: target.id,
        created_at: at,
      }),
    )

    store.run(
      sqlRows(sql`
        delete from site_alias where target_id = ${target.id} and seq not in
          (select seq from site_alias where target_id = ${target.id} order by seq desc limit ${mostAliases})`),
    )
  })

/** Deletes the former path at a place, because a path that exists takes it. */
export const dropAlias = (store: Store, place: AliasPlace, path: string): number =>
  store.run(query.deleteFrom('site_alias').where(inPlace(place)).where('path', '=', path))
