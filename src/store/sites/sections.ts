import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteSectionGroupRow, SiteSectionRow } from '../tables/rows.ts'

/** Inserts a section. */
export const insertSection = (
  store: Store,
  row: Pick<SiteSectionRow, 'id' | 'site_id' | 'title' | 'path' | 'position' | 'created_at'> &
    Partial<SiteSectionRow>,
): SiteSectionRow =>
  store.get(
    query
      .insertInto('site_section')
      .values({
        group_id: null,
        description: null,
        condition: null,
        icon: null,
        default_site_space_id: null,
        ...row,
      })
      .returningAll(),
  ) as SiteSectionRow

/** Updates a section. Returns the new row. */
export const updateSection = (
  store: Store,
  id: string,
  set: Partial<Omit<SiteSectionRow, 'id' | 'seq' | 'site_id' | 'created_at'>>,
): SiteSectionRow | undefined =>
  store.get(query.updateTable('site_section').set(set).where('id', '=', id).returningAll())

/**
 * Deletes a section with its site spaces; triggers delete the former paths and redirects that lead
 * to them.
 */
export const deleteSection = (store: Store, id: string): number =>
  store.run(query.deleteFrom('site_section').where('id', '=', id))

/** Inserts a section group. */
export const insertSectionGroup = (
  store: Store,
  row: Pick<SiteSectionGroupRow, 'id' | 'site_id' | 'title' | 'position' | 'created_at'> &
    Partial<SiteSectionGroupRow>,
): SiteSectionGroupRow =>
  store.get(
    query
      .insertInto('site_section_group')
      .values({ parent_id: null, icon: null, ...row })
      .returningAll(),
  ) as SiteSectionGroupRow

/** Updates a section group. Returns the new row. */
export const updateSectionGroup = (
  store: Store,
  id: string,
  set: Partial<Omit<SiteSectionGroupRow, 'id' | 'seq' | 'site_id' | 'created_at'>>,
): SiteSectionGroupRow | undefined =>
  store.get(query.updateTable('site_section_group').set(set).where('id', '=', id).returningAll())

/** Deletes an empty section group. */
export const deleteSectionGroup = (store: Store, id: string): number =>
  store.run(query.deleteFrom('site_section_group').where('id', '=', id))
