import { earlierPage } from '../../actions/audience/earlier-page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { SitePlace } from '../place/place.ts'

/**
 * Returns the page of a place with the id of a published page, or that this page was in the version
 * that is shown.
 */
export function pageById({ open, scope }: SitePlace, id: string): PageNode | undefined {
  const same = open.shown.content.pageById.get(id)
  const now = scope?.current.shown.content.pageById.get(id)
  return same ?? (scope && now && earlierPage(scope.current, now, open))
}
