import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import { listChangeRequests } from '../../store/discussions/list-change-requests.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import type { SurfaceWords } from '../../ui/words/all.ts'
import type { SitePlace } from '../place/place.ts'
import { mayTravel } from '../place/rights.ts'
import { scopeBase } from './open-scope.ts'

/** The most change requests in the toolbar, and the most characters of their subjects. */
const mostRequests = 5
const longestSubject = 40

/**
 * Returns the links for a member who is signed in: editor, history, change requests, account. Empty for other readers.
 */
export function toolbarOf(
  place: SitePlace,
  words: SurfaceWords,
  node: PageNode | undefined,
): FrameLink[] {
  const { ctx, member, open } = place
  if (!member || place.isCopy) return []
  const requests = member.readsChangeRequests
    ? listChangeRequests(ctx.store, open.space.id, { status: 'open' }, mostRequests)
    : []
  const app = workbenchPath(place)
  const edit = node && editorAddress(place, app, node)
  // The foot of the page leads to the versions of the site: a member wants those of the content.
  const history =
    node && historyAddress(place, node.id) && `${app}/s/${open.space.id}/p/${node.id}/history`

  return [
    ...(edit ? [{ title: words.edit, href: edit }] : []),
    ...(history ? [{ title: words.history, href: history }] : []),
    ...(member.readsChangeRequests
      ? [{ title: words.changeRequests, href: `${app}/s/${open.space.id}/changes` }]
      : []),
    ...requests.map(({ number, subject }) => ({
      title: `#${number} ${shortened(subject)}`.trim(),
      href: addressIn(place, scopeBase(place, 'changes', String(number)), node),
    })),
    { title: member.user.display_name, href: `${app}/account` },
  ]
}

/** Returns the path of the workbench on the host of the server, where members have a session. */
const workbenchPath = ({ ctx }: Pick<SitePlace, 'ctx'>): string =>
  `${new URL(ctx.publicUrl()).pathname.replace(/\/$/, '')}/app`

/**
 * Returns the address at which a member reviews the change request that is shown, at the page that
 * is open. Undefined for other readers and other versions.
 */
export function reviewAddress(place: SitePlace, node: PageNode | undefined): string | undefined {
  const { member, open, scope } = place
  if (!member?.readsChangeRequests || scope?.kind !== 'change-request') return undefined
  const path = `${workbenchPath(place)}/s/${open.space.id}/changes/${scope.request.number}`
  return node && member.readsComments ? `${path}/pages/${node.id}` : path
}

/**
 * Returns the address of the editor of a page, for members who may edit it: on the change request
 * that is shown, or on one of their own. Undefined for earlier versions, and for a page that is
 * gone.
 */
function editorAddress(
  { member, open, scope }: SitePlace,
  app: string,
  { id, type }: PageNode,
): string | undefined {
  if (!member?.edits || type !== 'document' || !open.view.content.pageById.has(id)) return undefined
  const space = `${app}/s/${open.space.id}`
  if (!scope) return `${space}/edit/${id}`
  if (scope.kind !== 'change-request') return undefined
  const { status, number } = scope.request
  const isOpen = status === 'draft' || status === 'open'
  return isOpen ? `${space}/changes/${number}/edit/${id}` : undefined
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
