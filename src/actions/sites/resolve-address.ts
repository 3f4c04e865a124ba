import type { Reader } from '../../access/asker.ts'
import { findReader, isForSharing, readerAs } from '../../access/reader.ts'
import { type Preview, type ReadingToken, readingTokenOf } from '../../access/reading-token.ts'
import { isForMembers } from '../../access/site-roles.ts'
import { type Address, parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { findActiveShareLink, findShareLinkByKey } from '../../store/sites/share-links.ts'
import { rememberedVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { ShareLinkRow, SiteRow } from '../../store/tables/rows.ts'
import { findSiteAt, isKnownPort, type SiteAt } from './find-site.ts'
import { type Followed, followAsAbsent, followStructure } from './follow-structure.ts'
import { previewedContent } from './previewed-content.ts'
import { readerClaims } from './reader-claims.ts'
import { rememberedView, viewWithClaims } from './view-for-reader.ts'
import { readVisitorToken, type VisitorToken } from './visitor-token.ts'

/** What is known of a visitor. */
type VisitorAsked = {
  jwtToken?: string | undefined
  unsignedClaims?: unknown
  type?: 'human' | 'agent' | undefined
  /** Returns the claims of an earlier sign-in of the visitor, which count without a token. */
  session?: ((site: SiteRow) => Promise<VisitorToken | undefined>) | undefined
}

/** An address, and the visitor who opens it. */
export type AddressRequest = {
  url: string
  /** Whether an unusable visitor token leads to the sign-in page instead of a refusal. */
  redirectOnError?: boolean | undefined
  visitor?: VisitorAsked | undefined
  /** The holder of a preview token. */
  previewer?: Reader | undefined
  /** The user who asks, and the token with which they do. */
  user?: Preview | undefined
  /**
   * Whether names of other content, such as `~/revisions/…`, stay part of the path: the caller
   * opens that content.
   */
  keepsScope?: boolean | undefined
  /**
   * Whether a path that is hidden from the visitor resolves like an absent one, with `isHidden`,
   * instead of throwing.
   */
  hidesAsAbsent?: boolean | undefined
}

/** Where an address leads: elsewhere, or to content of a site. */
export type Resolved =
  | { kind: 'redirect'; target: 'content' | 'external'; redirect: string; site: SiteRow }
  | ({ kind: 'content' } & ResolvedContent)

export type ResolvedContent = {
  site: SiteRow
  siteSpace: Followed['siteSpace']
  /**
   * The paths of the site, and of the site space in it, in the address: with a slash at both ends.
   */
  siteBasePath: string
  basePath: string
  /** The path of the page, decoded, without a slash in front. */
  pathname: string
  canonicalUrl: string
  complete: boolean
  /**
   * Whether the path names a section or site space that is hidden from the visitor. Such a path has
   * no page.
   */
  isHidden: boolean
  shareKey: string | undefined
  /** A digest of the claims; '' for none. */
  claimsId: string
  preview: boolean
  changeRequest?: string | undefined
  revision?: string | undefined
  /** The payload of the reading token of the visitor. */
  reading: ReadingToken
  /** The claims of the visitor token of the request, if it can be used. */
  visitor: UsableToken | undefined
}

type UsableToken = Exclude<VisitorToken, { refused: string }>

/** The answer for everything that a caller may not know of: it is the same for all reasons. */
const nothingFound = (): Fault => new Fault('not_found', 'No content found for this address.')

/**
 * Returns where the address of published content leads for a visitor, with the payload of a reading
 * token for it. Throws 'invalid' for an unusable address, 'missing' for content that is not there
 * or not for the visitor, and 'unauthenticated' where visitors have to sign in.
 */
export async function resolveAddress(ctx: Context, asked: AddressRequest): Promise<Resolved> {
  const address = parseAddress(asked.url)
  if (!isKnownPort(ctx, address.port))
    throw invalid(`The address has the port ${address.port}, which no site uses. Remove it.`)
  const at = findSiteAt(ctx, address)
  const previewer = at && previewerOf(ctx, at, address, asked)
  if (!at || !(previewer || isOpenToVisitors(at))) throw nothingFound()

  const { site } = at
  if (!previewer && asked.visitor?.type === 'agent' && site.agents_context === 'excluded')
    throw nothingFound()

  const below = address.segments.slice(at.length)
  const link = previewer ? undefined : shareLinkOf(ctx, site, below[0])
  const shareKey = link && (below.shift() as string)
  const place: AddressVisit = { ctx, asked, address, at, previewer, link, shareKey, below }
  const claims = await claimsOf(place)

  return 'kind' in claims ? claims : follow(place, claims)
}

/** What is known of an address before its content is looked up. */
type AddressVisit = {
  ctx: Context
  asked: AddressRequest
  address: Address
  at: SiteAt
  previewer: Reader | undefined
  link: ShareLinkRow | undefined
  shareKey: string | undefined
  /** The segments below the base of the site and the key. */
  below: readonly string[]
}

/** Returns whether the site of an address is read without the rights of a user. */
const isOpenToVisitors = ({ site, preview }: SiteAt): boolean =>
  site.published === 1 && !preview && !isForMembers(site)

/** Returns whether an address is that of a published site for members. */
const isOpenToMembers = ({ site, preview }: SiteAt): boolean =>
  site.published === 1 && !preview && isForMembers(site)

/**
 * Returns the reader who reads the site of an address with the rights of a user: with the token of
 * the request, the one in an address for previews, or as the user who asks. Throws
 * 'unauthenticated' for an address for previews whose token has ended.
 */
function previewerOf(
  ctx: Context,
  at: SiteAt,
  { search }: Address,
  { previewer: given, user }: Pick<AddressRequest, 'previewer' | 'user'>,
): Reader | undefined {
  const { site, preview } = at
  const isOfSite = (reader: Reader) => reader.preview !== undefined && reader.site.id === site.id
  if (given) return isOfSite(given) ? given : undefined
  if (!preview && !isOpenToMembers(at)) return undefined

  const token = preview ? new URLSearchParams(search).get('token') : null
  if (token === null) return user && readerAs(ctx, site, user)
  const found = findReader(ctx, token)
  if ('unusable' in found && found.unusable === 'unknown') return undefined
  if ('unusable' in found || !isForSharing(ctx, found))
    throw new Fault('preview_ended', 'The preview has ended. Request a new preview address.')

  return isOfSite(found) ? found : undefined
}

/**
 * Returns the active share link whose key begins a path. Throws 'missing' where a key is needed,
 * and for a key on a site that does not use keys.
 */
function shareLinkOf(
  { store }: Context,
  site: SiteRow,
  key: string | undefined,
): ShareLinkRow | undefined {
  if (site.visibility !== 'share-link') {
    const isKey = key !== undefined && /^[0-9A-Za-z]{20}$/.test(key)
    if (isKey && findShareLinkByKey(store, key)?.site_id === site.id) throw nothingFound()
    return undefined
  }
  const link = findActiveShareLink(store, site.id, key ?? '')
  if (!link) throw nothingFound()
  return link
}

/** The claims in force, and the token that they come from. */
type Claims = ReturnType<typeof readerClaims> & {
  until?: number | undefined
  token?: UsableToken | undefined
}

/**
 * Returns the claims in force, or the redirect to where visitors sign in. Throws 'unauthenticated'
 * for visitors who have to.
 */
async function claimsOf(place: AddressVisit): Promise<Claims | Resolved> {
  const { ctx, asked, previewer } = place
  const { site } = place.at
  if (previewer) return { ...readerClaims(ctx, previewer), until: previewer.until }

  const { jwtToken, unsignedClaims } = asked.visitor ?? {}
  const token =
    jwtToken === undefined
      ? await asked.visitor?.session?.(site)
      : await readVisitorToken(ctx, site, jwtToken)
  const usable = token && 'claims' in token ? token : undefined

  if (site.visibility === 'visitor-auth' && !usable) {
    const fallback = rememberedVisitorAuth(ctx.store, site)?.fallback_url
    if (!fallback || (token && !asked.redirectOnError))
      throw new Fault(
        'sign_in_required',
        'Visitors of this site have to sign in. Send a valid visitor token as "visitor.jwtToken".',
        undefined,
        { label: token && 'refused' in token ? `visitor_${token.refused}` : 'visitor' },
      )

    const redirect = loginAddress(fallback, wantedLocation(place))
    return { kind: 'redirect', target: 'external', redirect, site }
  }

  const claims = readerClaims(ctx, {
    site,
    tokenClaims: { ...usable?.claims, unsigned: unsignedClaims },
  })

  return { ...claims, until: usable?.until, ...(jwtToken !== undefined && { token: usable }) }
}

/**
 * Returns the address at which visitors of a site sign in, to return to a path below the base of
 * the site.
 */
export function loginAddress(fallbackUrl: string, location: string): string {
  const address = new URL(fallbackUrl)
  address.searchParams.set('location', location)
  return address.href
}

/**
 * Returns the path below the base of a site to which a visitor returns after signing in. On the
 * sign-in address, this is the `location` of the query. Sign-in and sign-out paths are removed,
 * because returning to sign-out would sign the visitor out again.
 */
function wantedLocation({ below, address }: Pick<AddressVisit, 'below' | 'address'>): string {
  const path = below.join('/')
  const isLogin = below.slice(-3).join('/') === '~gitbook/auth/login'
  const asked = isLogin ? (new URLSearchParams(address.search).get('location') ?? '') : path
  return withoutSignIn(asked.replace(/^[/\\]+/, ''))
}

/** Returns a path without the end that signs a visitor in or out. */
export const withoutSignIn = (path: string): string =>
  path.replace(/(?:^|\/)~gitbook\/auth(?:[/?#].*)?$/s, '')

const pathOf = (segments: readonly string[]): string =>
  segments.map(segment => encodeURIComponent(segment)).join('/')

async function follow(
  place: AddressVisit,
  { claims, id: claimsId, until, token }: Claims,
): Promise<Resolved> {
  const { ctx, asked, address, at, previewer, link, shareKey, below } = place
  const { site } = at
  const view = previewer
    ? (await viewWithClaims(ctx, site, claims, previewer.spaceIds)).view
    : await rememberedView(ctx, site, { claims, id: claimsId })
  const shown = await followStructure(ctx, { view, audience: { claims, claimsId } }, below)
  const found = shown ?? (asked.hidesAsAbsent ? followAsAbsent(ctx, view, below) : undefined)
  if (!found) throw nothingFound()

  const { siteSpace, prefix, rest } = found
  const withKey = shareKey === undefined ? at.base : `${at.base}${shareKey}/`
  const canonicalUrl = withKey + prefix + pathOf(rest)

  if (at.moved || address.untidy || !found.canonical)
    return {
      kind: 'redirect',
      target: 'content',
      redirect: canonicalUrl + address.search + (address.hash ?? ''),
      site,
    }

  const { keepsScope } = asked
  const previewed = await previewedContent(ctx, previewer, siteSpace.space, { rest, keepsScope })
  if (!previewed) throw nothingFound()

  const siteBasePath = basePathOf([
    ...address.segments.slice(0, at.length),
    ...(shareKey === undefined ? [] : [shareKey]),
  ])

  return {
    kind: 'content',
    site,
    siteSpace,
    siteBasePath,
    basePath: siteBasePath + prefix,
    pathname: previewed.rest.join('/'),
    canonicalUrl,
    complete: found.complete,
    isHidden: !shown,
    shareKey,
    claimsId,
    preview: previewer !== undefined && !isOpenToMembers(at),
    changeRequest: previewed.changeRequest,
    revision: previewed.revision,
    visitor: token,
    reading: readingTokenOf(ctx, {
      site,
      siteSpace: siteSpace.row,
      spaceIds: view.siteSpaces.map(({ space }) => space.id),
      claims,
      visitorType: asked.visitor?.type,
      shareLinkId: link?.id,
      preview: previewer?.preview,
      until,
    }),
  }
}

const basePathOf = (segments: readonly string[]): string =>
  segments.length === 0 ? '/' : `/${pathOf(segments)}/`
