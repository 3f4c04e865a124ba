import { addressOfPage } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { type Made, madeHtml } from '../sending/made.ts'
import { renderPage } from '../views/render.tsx'
import { frameOf } from './frame.ts'
import { listingOf } from './listing.ts'
import { messageOf } from './message.ts'
import { navOf } from './nav.ts'
import { nearestPages } from './nearest.ts'

/** Returns the page for a path without a page: with the pages whose titles and paths are like it. */
export async function nothingHere(place: Place): Promise<Made> {
  const { base, path, open } = place
  const { content } = open.shown
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const page = messageOf({
    status: 404,
    title: frame.words.notFound,
    text: frame.words.notFoundText,
    links: nearestPages(content, path).map(node => ({
      title: node.title,
      href: addressOfPage(base, content, node),
    })),
    query: wordsOf(path),
    nav: navOf(listingOf(place, settings), undefined),
  })
  return madeHtml(renderPage(frame, page), {}, 404)
}

/** Returns the words of the last part of a path, for a search. */
const wordsOf = (path: string): string =>
  (path.split('/').at(-1) ?? '')
    .replace(/\.\w{1,8}$/, '')
    .replace(/[-_.+]+/g, ' ')
    .slice(0, 100)
    .trim()
