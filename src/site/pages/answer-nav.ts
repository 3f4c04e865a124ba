import { missing } from '../../errors.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { surfaceWords } from '../place/surface.ts'
import { type Made, madeHtml } from '../sending/made.ts'
import { renderNav } from '../views/render.tsx'
import { listingOf } from './listing.ts'
import { navBelow } from './nav.ts'

/** Answers with the list of the pages below an entry of the list of pages. Throws 'missing'. */
export function answerNav(place: Place, id: string): Made {
  const node = place.open.shown.content.pageById.get(id)
  if (!node) throw missing('page', id)
  const settings = settingsOf(place)
  const words = surfaceWords(settings, place.open.space.language)
  return madeHtml(renderNav({ words }, navBelow(listingOf(place, settings), node)))
}
