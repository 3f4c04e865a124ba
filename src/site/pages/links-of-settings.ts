import type { Settings } from '../../content/customization/schema.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import type { SitePlace } from '../place/place.ts'
import { addressOnServer } from '../place/server-path.ts'

type Item = Settings['header']['links'][number]
type ContentLink = Item['links'][number]
type Ref = ContentLink['to']

/**
 * Returns the address that a link of the settings leads to; undefined for a target that the site
 * does not show, and for what a copy lacks.
 */
export function addressOfRef(place: SitePlace, to: Ref): string | undefined {
  if (to.kind === 'url') return isServerPath(to.url) ? serverAddress(place, to.url) : to.url
  if (to.kind === 'space') return baseOfSpace(place, to.space)
  if (to.kind === 'file') return undefined

  const base = to.space === undefined ? place.base : baseOfSpace(place, to.space)
  if (base === undefined) return undefined

  const anchor = to.kind === 'anchor' ? `#${encodeURIComponent(to.anchor)}` : ''
  if (to.page === undefined) return base + anchor

  const { content } = place.open.shown
  const node = base === place.base ? content.pageById.get(to.page) : undefined
  if (node) return addressOfPage(base, content, node) + anchor

  return base === place.base || place.isCopy
    ? undefined
    : `${base}~stemma/page/${encodeURIComponent(to.page)}${anchor}`
}

function serverAddress(place: SitePlace, path: string): string | undefined {
  const address = addressOnServer(place, path)
  const isOfSite = !address.startsWith('/') || address.startsWith(place.siteBase)
  return place.isCopy && !isOfSite ? undefined : address
}

/**
 * Returns the base of the addresses of a space on the site, with a slash at its end; undefined if
 * the reader is not shown it.
 */
function baseOfSpace({ view, siteBase }: SitePlace, spaceId: string): string | undefined {
  const found = view.siteSpaces.find(({ space }) => space.id === spaceId)
  return found && siteBase + found.path
}

/** Returns the links of the settings that lead somewhere. */
export const frameLinks = (place: SitePlace, links: readonly ContentLink[]): FrameLink[] =>
  links.flatMap(({ title, to }) => {
    const href = addressOfRef(place, to)
    return href === undefined ? [] : [{ title, href, ...(isElsewhere(to) && { external: true }) }]
  })

const isServerPath = (url: string): boolean => url.startsWith('/')

const isElsewhere = (to: Ref): boolean => to.kind === 'url' && !isServerPath(to.url)
