import { findPage } from '../../actions/audience/find-page.ts'
import { missing } from '../../errors.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf, surfaceWords } from '../place/settings-of-place.ts'
import { keptHeaders } from '../sending/headers.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import { renderNav } from '../views/render.tsx'
import { listingOf, versionOfLists } from './listing.ts'
import { navBelow } from './nav.ts'

/**
 * Seconds that browsers keep a list. Not longer, because another release of the server may render
 * it differently.
 */
const longestAge = 86_400

/** Returns whether the content of a place does not depend on the claims of its reader. */
const isForAll = ({ resolved: { site, claimsId } }: SitePlace): boolean =>
  claimsId === '' && site.adaptive === 0 && site.visibility !== 'visitor-auth'

/**
 * Answers with the pages below an entry of the navigation: the page at `path`, or the link whose id
 * follows `~/`. Browsers may keep the list of a version if it is the same for all readers. Throws
 * 'missing'.
 */
export function answerNav(place: SitePlace, version: string, path: string): SiteResponse {
  const { content } = place.open.shown
  const node = path.startsWith('~/')
    ? content.pageById.get(path.slice(2))
    : findPage(content, place.open.space.id, path)
  if (!node) throw missing('page', path)

  const settings = settingsOf(place)
  const words = surfaceWords(settings, place.open.space.language)
  const isKept = version === versionOfLists(place, settings) && isForAll(place)
  const headers = isKept ? keptHeaders(place, `max-age=${longestAge}, immutable`) : {}

  return madeHtml(renderNav({ words }, navBelow(listingOf(place, settings), node)), headers)
}
