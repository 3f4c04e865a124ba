import { missing } from '../../errors.ts'
import { findPage } from '../place/find-page.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { surfaceWords } from '../place/surface.ts'
import { type Made, madeHtml } from '../sending/made.ts'
import { renderNav } from '../views/render.tsx'
import { listingOf } from './listing.ts'
import { navBelow } from './nav.ts'

/**
 * Answers with the list of the pages below an entry of the list of pages: one at a path, or a link with an id after `~/`.
 * Throws 'missing'.
 */
export function answerNav(place: Place, path: string): Made {
  const { content } = place.open.shown
  const node = path.startsWith('~/')
    ? content.pageById.get(path.slice(2))
    : findPage(content, place.open.space.id, path)
  if (!node) throw missing('page', path)
  const settings = settingsOf(place)
  const words = surfaceWords(settings, place.open.space.language)
  return madeHtml(renderNav({ words }, navBelow(listingOf(place, settings), node)))
}
