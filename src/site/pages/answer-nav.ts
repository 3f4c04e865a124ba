import { missing } from '../../errors.ts'
import { findPage } from '../place/find-page.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { surfaceWords } from '../place/surface.ts'
import { keptHeaders } from '../sending/headers.ts'
import { type Made, madeHtml } from '../sending/made.ts'
import { renderNav } from '../views/render.tsx'
import { listingOf, versionOfLists } from './listing.ts'
import { navBelow } from './nav.ts'

/** How long browsers keep a list, in seconds: another release of the server may write it in another way. */
const longestAge = 86_400

/** Returns whether the content of a place does not depend on the claims of its reader. */
const isForAll = ({ resolved: { site, claimsId } }: Place): boolean =>
  claimsId === '' && site.adaptive === 0 && site.visibility !== 'visitor-auth'

/**
 * Answers with the list of the pages below an entry of the list of pages: one at a path, or a link with an id after `~/`.
 * Browsers keep the list of a version where it is the same for all readers. Throws 'missing'.
 */
export function answerNav(place: Place, version: string, path: string): Made {
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
