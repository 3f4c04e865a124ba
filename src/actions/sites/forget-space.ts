import type { Context } from '../../context.ts'
import { clearDefaultsOf, deleteSiteSpace, listSiteSpacesWith } from '../../store/sites/site-spaces.ts'

/**
 * Removes a space that is gone for good from all sites, with the former paths and redirects that lead to it. Call it inside
 * the transaction that purges or transfers the space.
 */
export function forgetSpace({ store }: Context, spaceId: string): void {
  for (const { id } of listSiteSpacesWith(store, spaceId)) {
    clearDefaultsOf(store, id)
    deleteSiteSpace(store, id)
  }
}
