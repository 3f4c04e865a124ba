import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import { readText, type TextPlace } from '../../page-text/read-text.ts'
import { fileAddress } from '../place/file-address.ts'
import { imageOf } from '../place/image-address.ts'
import type { SitePlace } from '../place/place.ts'

/** Reads the text of a document at a place of a site; see `readText`. */
export const textOf = (place: SitePlace, node: PageNode): ReturnType<typeof readText> =>
  readText(placeOfText(place), node)

function placeOfText(place: SitePlace): TextPlace {
  const { ctx, open, base, resolved, signal, hold } = place
  return {
    ...{ ctx, open, signal, hold },
    hrefOf: page => addressOfPage(base, open.shown.content, page),
    origins: [new URL(resolved.canonicalUrl).origin],
    fileAddress: file => fileAddress(place, file),
    imageOf: (file, media) => imageOf(place, file, media),
  }
}
