import type { SitePlace } from './place.ts'

/**
 * Returns whether a site has texts and an endpoint for language models. They are for all readers,
 * or for none.
 */
export const isForAgents = ({ resolved }: Pick<SitePlace, 'resolved'>): boolean =>
  resolved.site.agents_context !== 'excluded'

type Asking = Pick<SitePlace, 'member' | 'reader' | 'resolved'>

/** Returns whether a reader previews the site with the rights of a user, not with a link. */
const isPreviewOfMember = ({ preview }: Pick<SitePlace, 'reader'>['reader']): boolean =>
  preview !== undefined && preview.linkId === undefined

/**
 * Returns whether the reader of a place may read all that is in the history of its space: a member,
 * or a preview of one.
 */
export const readsEverything = ({ member, reader }: Pick<Asking, 'member' | 'reader'>): boolean =>
  member !== undefined || isPreviewOfMember(reader)

/** Returns whether the reader of a place may read earlier versions of its pages. */
export const mayTravel = (place: Asking): boolean =>
  readsEverything(place) ||
  (place.resolved.site.time_travel === 'readers' && place.reader.preview?.linkId === undefined)

/**
 * Returns whether the reader of a place may read the comments in its space: a member whose token
 * has the scope. A reader who opens the place with a preview link may not, also with a session.
 */
export const readsComments = ({ member, reader }: Pick<Asking, 'member' | 'reader'>): boolean =>
  member?.readsComments === true && reader.preview?.linkId === undefined

/**
 * Returns whether the reader of a place may read change requests of its space: all of them, or with
 * a preview link that of the link.
 */
export const readsChangeRequests = ({
  member,
  reader,
}: Pick<Asking, 'member' | 'reader'>): boolean =>
  member?.readsChangeRequests ?? reader.readsChangeRequests
