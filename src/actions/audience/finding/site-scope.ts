import { missing } from '../../../errors.ts'
import type { SiteSpaceView, SiteView } from '../../sites/view-site.ts'

/** The site spaces that a search of a site covers. */
export type SiteSearchScope =
  | { mode: 'all' }
  | { mode: 'specific'; siteSpaceIds: string[] }
  /**
   * The default of each section, in the language of the current site space where there is one, and
   * the current one.
   */
  | {
      mode: 'default'
      currentSiteSpace?: string | undefined
      /** Only the current site space, or only the others. */
      restrictTo?: 'currentSiteSpace' | 'otherSiteSpaces' | undefined
    }

/** Returns the site spaces of a scope. Throws 'missing' for one that the viewer does not see. */
export function siteSpacesIn(view: SiteView, scope: SiteSearchScope): SiteSpaceView[] {
  if (scope.mode === 'all') return view.siteSpaces
  if (scope.mode === 'specific') return [...new Set(scope.siteSpaceIds)].map(id => seen(view, id))
  const current =
    scope.currentSiteSpace === undefined ? undefined : seen(view, scope.currentSiteSpace)
  const lists =
    view.root.type === 'siteSpaces'
      ? [view.siteSpaces]
      : view.sections.map(({ siteSpaces }) => siteSpaces)
  const chosen = lists.flatMap(list => defaultOf(list, current?.space.language ?? null) ?? [])

  const all = [...new Set([...(current ? [current] : []), ...chosen])]
  const only = scope.restrictTo

  return only ? all.filter(each => (each === current) === (only === 'currentSiteSpace')) : all
}

/**
 * Returns the default among siblings, or the first in a language if the default is in another one.
 */
function defaultOf(
  siblings: readonly SiteSpaceView[],
  language: string | null,
): SiteSpaceView | undefined {
  const fallback = siblings.find(({ isDefault }) => isDefault) ?? siblings[0]
  if (language === null || fallback?.space.language === language) return fallback
  return siblings.find(({ space }) => space.language === language) ?? fallback
}

function seen({ siteSpaces }: SiteView, id: string): SiteSpaceView {
  const found = siteSpaces.find(({ row }) => row.id === id)
  if (!found) throw missing('site space', id)
  return found
}
