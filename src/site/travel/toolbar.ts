import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import { listChangeRequests } from '../../store/discussions/change-requests.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import type { SurfaceWords } from '../../ui/words/all.ts'
import type { SitePlace } from '../place/place.ts'
import { mayTravel } from '../place/rights.ts'
import { scopeBase } from './open-scope.ts'

/** The most change requests in the toolbar, and the most characters of their subjects. */
const mostRequests = 5
const longestSubject = 40

/**
 * Returns the links for a member who is signed in: history, open change requests, account. Empty
 * for other readers.
 */
export function toolbarOf(
  place: SitePlace,
  words: SurfaceWords,
  node: PageNode | undefined,
): FrameLink[] {
  const { ctx, member, open } = place
  if (!member || place.isCopy) return []
  const history = node && historyAddress(place, node.id)
  const requests = member.readsChangeRequests
    ? listChangeRequests(ctx.store, open.space.id, { status: 'open' }, mostRequests)
    : []
  const account = `${new URL(ctx.publicUrl()).pathname.replace(/\/$/, '')}/app/account`

  return [
    ...(history ? [{ title: words.history, href: history }] : []),
    ...requests.map(({ number, subject }) => ({
      title: `#${number} ${shortened(subject)}`.trim(),
      href: addressIn(place, scopeBase(place, 'changes', String(number)), node),
    })),
    { title: member.user.display_name, href: account },
  ]
}

const shortened = (text: string): string =>
  [...text].length > longestSubject ? `${[...text].slice(0, longestSubject - 1).join('')}…` : text

const addressIn = ({ open }: SitePlace, base: string, node: PageNode | undefined): string =>
  node ? addressOfPage(base, open.shown.content, node) : base

/**
 * Returns the address of the history of a page; undefined for readers without one, for a page that
 * is gone, and in a copy.
 */
export function historyAddress(place: SitePlace, id: string): string | undefined {
  if (place.isCopy) return undefined
  const { content } = (place.scope?.current ?? place.open).shown
  const isThere = content.pageById.get(id)?.file !== undefined
  return isThere && mayTravel(place) ? `${place.resolved.basePath}~stemma/history/${id}` : undefined
}
