import type { Context } from '../../context.ts'
import { findActiveShareLink } from '../../store/sites/share-links.ts'
import type { SiteRow } from '../../store/tables/rows.ts'

/**
 * Returns the key that a caller named if it is an active one of the site: published addresses then
 * contain it.
 */
export const activeShareKey = (
  { store }: Pick<Context, 'store'>,
  { id }: Pick<SiteRow, 'id'>,
  key: string | undefined,
): string | undefined =>
  key !== undefined && findActiveShareLink(store, id, key) ? key : undefined
