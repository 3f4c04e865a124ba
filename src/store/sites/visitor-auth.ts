import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteRow, SiteVisitorAuthRow } from '../tables/rows.ts'

const visitorAuths = new Rows('site_visitor_auth')

/** Returns how visitors of a site sign in. */
export const findVisitorAuth = visitorAuths.find('site_id')

/**
 * Returns how visitors of a site sign in like `findVisitorAuth`, from the cache while no row of its
 * organization changes.
 */
export const rememberedVisitorAuth = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SiteRow, 'id' | 'organization_id'>,
): SiteVisitorAuthRow | undefined =>
  store.remember(`visitor auth ${id}`, () => findVisitorAuth(store, id), { organizationId })

/** Inserts the sign-in of visitors of a new site, with its sealed key. */
export const insertVisitorAuth = (
  store: Store,
  row: Pick<SiteVisitorAuthRow, 'site_id' | 'key_sealed' | 'updated_at'>,
): number =>
  store.run(
    query.insertInto('site_visitor_auth').values({ ...row, integration: null, fallback_url: null }),
  )

/** Updates how visitors of a site sign in. Returns the new row. */
export const updateVisitorAuth = visitorAuths.update('site_id')
