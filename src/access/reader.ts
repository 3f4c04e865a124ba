import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findChangeRequest } from '../store/discussions/change-requests.ts'
import { findToken } from '../store/people/tokens.ts'
import { findPreviewLinkByKey, rememberedPreviewLink } from '../store/sites/preview-links.ts'
import { findShareLink } from '../store/sites/share-links.ts'
import { rememberedSchema } from '../store/sites/site-schemas.ts'
import { findSite, rememberedSite } from '../store/sites/sites.ts'
import { rememberedStructure } from '../store/sites/structure.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import type { PreviewLinkRow, SiteRow, TokenRow } from '../store/tables/rows.ts'
import type { Reader } from './asker.ts'
import { reachOf } from './reach.ts'
import { readerCondition } from './reader-condition.ts'
import {
  openReadingToken,
  type Preview,
  type ReaderContext,
  type ReadingToken,
  readingTokenOf,
} from './reading-token.ts'
import { atLeast } from './roles.ts'
import { covers } from './scopes.ts'
import { isStillSignedIn } from './sign-in.ts'
import { isForMembers, roleOnSite } from './site-roles.ts'
import { roleOnSpace } from './space-role.ts'

type Unusable = { unusable: 'unknown' | 'expired' | 'revoked' }

/** Returns the refusal of a reading token by an operation that does not admit readers. */
export const notForReaders = (): Fault =>
  new Fault(
    'token_not_accepted',
    'A reading token is only for reading the published site. Use the token of a user.',
  )

/** Returns whether a text has the form of the key of a preview link. */
export const isPreviewKey = (text: string): boolean => /^[0-9A-Za-z]{20}$/.test(text)

function readerOfLink(ctx: Context, key: string): Reader | Unusable {
  const link = findPreviewLinkByKey(ctx.store, key)
  if (!link) return { unusable: 'unknown' }
  const until = Date.parse(link.expires_at)
  if (until <= ctx.store.time) return { unusable: 'expired' }
  const site = findSite(ctx.store, link.site_id)
  const preview = { userId: link.created_by, tokenId: '', linkId: link.id }
  return (site && readerAs(ctx, site, preview, { until })) ?? { unusable: 'revoked' }
}

/**
 * Returns the reader that a reading token or the key of a preview link identifies, or why it cannot
 * be used; see `admitReader`.
 */
export function findReader(ctx: Context, token: string): Reader | Unusable {
  if (isPreviewKey(token)) return readerOfLink(ctx, token)
  const opened = openReadingToken(ctx, token)
  if (opened?.aud !== 'stemma' || opened.kind !== 'site') return { unusable: 'unknown' }
  return admitReader(ctx, opened)
}

/**
 * Returns the reader that the payload of a reading token identifies, or why it cannot be used.
 * Everything is checked against the rows of now: the site, its access version, the share link, the
 * spaces, and the rights of a user who previews the site. The payload must come from this server.
 */
export function admitReader(ctx: Context, opened: ReadingToken): Reader | Unusable {
  if (opened.exp * 1000 <= ctx.store.time) return { unusable: 'expired' }
  const site = rememberedSite(ctx.store, opened.organization, opened.site)
  const preview = previewOf(opened)
  if (!site || !isOpen(ctx, site, { ...opened, preview })) return { unusable: 'revoked' }
  const token = preview && tokenOf(ctx, preview)
  const isLink = preview?.linkId !== undefined

  return {
    type: 'reader',
    site,
    spaceIds: shownOf(ctx, site, opened.spaces, preview),
    tokenClaims: site.adaptive === 1 ? (opened.claims ?? {}) : {},
    shareLinkId: opened.l,
    preview,
    readsChangeRequests:
      isLink || (token !== undefined && covers(token.scopes, 'change-requests:read')),
    until: Math.min(opened.exp * 1000, token?.expires_at ? Date.parse(token.expires_at) : Infinity),
  }
}

/**
 * Returns the reader who reads a site with the rights of a token of a user: those spaces of it that
 * the user may read. Undefined if the rights do not suffice.
 */
export function readerAs(
  ctx: Context,
  site: SiteRow,
  preview: Preview,
  rest: Pick<ReaderContext, 'claims' | 'until'> = {},
): Reader | undefined {
  const { siteSpaces } = rememberedStructure(ctx.store, site)
  const [siteSpace] = siteSpaces
  if (!siteSpace) return undefined
  const spaceIds = siteSpaces.map(({ space_id }) => space_id)
  const opened = readingTokenOf(ctx, { site, siteSpace, spaceIds, preview, ...rest })
  const reader = admitReader(ctx, opened)
  return 'unusable' in reader ? undefined : reader
}

const previewOf = ({ p, t = '', pl }: ReadingToken): Preview | undefined =>
  p === undefined ? undefined : { userId: p, tokenId: t, ...(pl !== undefined && { linkId: pl }) }

/** The part of a reading token that admits a reader to a site. */
export type SiteAdmission = Pick<ReadingToken, 'organization' | 'site' | 'v'> & {
  l?: string | undefined
  preview?: Preview | undefined
}

/**
 * Returns whether a site still admits the readers of a space, under the conditions with this stamp.
 */
export function admitsToSpace(
  ctx: Context,
  { conditions, ...admission }: SiteAdmission & { conditions: string },
  spaceId: string,
): boolean {
  const site = rememberedSite(ctx.store, admission.organization, admission.site)
  if (!site || !isOpen(ctx, site, admission)) return false
  if (conditionsStamp(ctx, site, spaceId) !== conditions) return false
  return shownOf(ctx, site, [spaceId], admission.preview).size > 0
}

/**
 * Returns a text that changes with everything but claims on which it depends whether readers are
 * shown a space: the conditions of its site space and section, and the schema of the claims.
 */
export function conditionsStamp(
  { store }: Pick<Context, 'store'>,
  site: SiteRow,
  spaceId: string,
): string {
  const rows = rememberedStructure(store, site)
  const { sections, siteSpaces } = rows
  const row = siteSpaces.find(({ space_id }) => space_id === spaceId)
  const section = sections.find(({ id }) => id === row?.section_id)
  const [own, ofSection] = [row, section].map(each => each && readerCondition(rows, each))
  if (!own && !ofSection) return ''
  const schema = site.adaptive === 1 ? rememberedSchema(store, site) : undefined
  return sha256(JSON.stringify([own, ofSection, schema])).slice(0, 16)
}

/** Returns whether the site still admits the reader. */
function isOpen(ctx: Context, site: SiteRow, { v, l, preview }: SiteAdmission): boolean {
  if (site.access_version !== v) return false
  if (l !== undefined && !isActive(ctx, site, l)) return false
  if (!preview) return site.published === 1 && !isForMembers(site)
  if (preview.linkId !== undefined) return isLinkOf(ctx, preview, site)
  const previewing = reachOfPreview(ctx, preview)
  return previewing !== undefined && roleOnSite(previewing, site, preview.userId) !== null
}

const isActive = (
  { store }: Context,
  { id, organization_id: organizationId }: SiteRow,
  linkId: string,
) =>
  store.remember(`share link ${id} ${linkId}`, () => findShareLink(store, id, linkId), {
    organizationId,
  })?.active === 1

/**
 * Returns whether a preview link opens a site: what ends all reading tokens of the site ends it too.
 */
function isLinkOf(ctx: Context, preview: Preview, { id, access_version }: SiteRow): boolean {
  const link = linkOf(ctx, preview)
  return link?.site_id === id && link.access_version === access_version
}

/**
 * Returns the preview link that a preview depends on, until it ends or its change request is
 * archived.
 */
function linkOf({ store }: Context, { linkId }: Preview): PreviewLinkRow | undefined {
  const link = linkId === undefined ? undefined : rememberedPreviewLink(store, linkId)
  if (!link || Date.parse(link.expires_at) <= store.time) return undefined
  const changeRequest = findChangeRequest(store, link.space_id, link.change_request_id)
  return changeRequest && changeRequest.status !== 'archived' ? link : undefined
}

/**
 * Returns the token with which a user previews a site; undefined if it was revoked, has expired or
 * may not read content.
 */
function tokenOf(ctx: Context, { userId, tokenId }: Preview): TokenRow | undefined {
  const token = ctx.store.remember(`token by id ${tokenId}`, () => findToken(ctx.store, tokenId))
  if (token?.user_id !== userId || token.revoked_at !== null || !isStillSignedIn(ctx, token))
    return undefined
  if (token.expires_at !== null && Date.parse(token.expires_at) <= ctx.store.time) return undefined
  return covers(token.scopes, 'content:read') ? token : undefined
}

/** Returns the context with the limits of the token of a preview; undefined like `tokenOf`. */
function reachOfPreview(ctx: Context, preview: Preview): Context | undefined {
  const token = tokenOf(ctx, preview)
  return token && { ...ctx, reach: reachOf(token) }
}

/**
 * Returns whether everyone who has the reading token of a preview may use it in a browser: with the
 * role "create" on the site of the user whose rights it has, or with a preview link.
 */
export function isForSharing(ctx: Context, { site, preview }: Reader): boolean {
  if (!preview) return false
  if (preview.linkId !== undefined) return linkOf(ctx, preview) !== undefined
  const previewing = reachOfPreview(ctx, preview)
  if (!previewing) return false
  return atLeast(roleOnSite(previewing, site, preview.userId), 'create')
}

/** Returns whether a reader previews a site, rather than reads a published one as a member. */
export const isPreview = ({ site, preview }: Reader): boolean =>
  preview !== undefined &&
  (preview.linkId !== undefined || !(site.published === 1 && isForMembers(site)))

/**
 * Returns the spaces among `ids` that are live, on the site, and readable for a user who previews
 * it.
 */
function shownOf(
  ctx: Context,
  site: SiteRow,
  ids: readonly string[],
  preview: Preview | undefined,
): ReadonlySet<string> {
  const onSite = new Set(
    rememberedStructure(ctx.store, site).siteSpaces.map(({ space_id }) => space_id),
  )
  const previewing = preview && reachOfPreview(ctx, preview)
  const isShown = (id: string): boolean => {
    const space = onSite.has(id) ? rememberedSpace(ctx.store, id) : undefined
    if (!space || space.deleted_at !== null) return false
    if (!preview) return true
    if (preview.linkId !== undefined) return linkOf(ctx, preview)?.space_id === id
    return previewing !== undefined && roleOnSpace(previewing, space, preview.userId) !== null
  }

  return new Set(ids.filter(isShown))
}
