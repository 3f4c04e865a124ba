import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteSpaceRow } from '../tables/rows.ts'

/** Inserts a site space. */
export const insertSiteSpace = (
  store: Store,
  row: Pick<SiteSpaceRow, 'id' | 'site_id' | 'space_id' | 'path' | 'position' | 'created_at'> &
    Partial<SiteSpaceRow>,
): SiteSpaceRow =>
  store.get(
    query
      .insertInto('site_space')
      .values({ section_id: null, condition: null, override: null, ...row })
      .returningAll(),
  ) as SiteSpaceRow

/** Updates a site space. Returns the new row. */
export const updateSiteSpace = (
  store: Store,
  id: string,
  set: Partial<Omit<SiteSpaceRow, 'id' | 'seq' | 'site_id' | 'created_at'>>,
): SiteSpaceRow | undefined =>
  store.get(query.updateTable('site_space').set(set).where('id', '=', id).returningAll())

/** Deletes a site space; triggers delete the former paths and redirects that lead to it. */
export const deleteSiteSpace = (store: Store, id: string): number =>
  store.run(query.deleteFrom('site_space').where('id', '=', id))

/** Returns the site spaces that show a space, oldest first. */
export const listSiteSpacesWith = (store: Store, spaceId: string): SiteSpaceRow[] =>
  store.all(
    query.selectFrom('site_space').selectAll().where('space_id', '=', spaceId).orderBy('seq'),
  )
