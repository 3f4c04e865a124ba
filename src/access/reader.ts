import type { Context } from '../context.ts'
import { type Fault, forbidden } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findShareLink } from '../store/sites/share-links.ts'
import { rememberedSite } from '../store/sites/sites.ts'
import { rememberedStructure } from '../store/sites/structure.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import type { SiteRow } from '../store/tables/rows.ts'
import type { Reader } from './asker.ts'
import { memberWithin } from './reach.ts'
import { openReadingToken, type ReadingToken } from './reading-token.ts'
import { atLeast } from './roles.ts'
import { grantsOn, ownSiteRole } from './site-roles.ts'

type Unusable = { unusable: 'unknown' | 'expired' | 'revoked' }

/** Returns the refusal of a reading token by an operation that does not admit readers. */
export const notForReaders = (): Fault =>
  forbidden('A reading token is only for reading the published site. Use the token of a user.')

/**
 * Returns the reader that a reading token identifies, or why it cannot be used. Apart from the signature everything is
 * checked against the rows of now: the site, its access version, the share link, the spaces, and the rights of a user who
 * previews the site.
 */
export function findReader(ctx: Context, token: string): Reader | Unusable {
  const opened = openReadingToken(ctx, token)
  if (opened?.aud !== 'stemma' || opened.kind !== 'site') return { unusable: 'unknown' }
  if (opened.exp * 1000 <= Date.now()) return { unusable: 'expired' }
  const site = rememberedSite(ctx.store, opened.organization, opened.site)
  if (!site || !isOpen(ctx, site, opened)) return { unusable: 'revoked' }
  return {
    type: 'reader',
    site,
    spaceIds: shownOf(ctx, site, opened.spaces),
    tokenId: sha256(token),
    tokenClaims: site.adaptive === 1 ? (opened.claims ?? {}) : {},
    shareLinkId: opened.l,
    previewedBy: opened.p,
    until: opened.exp * 1000,
  }
}

/** The part of a reading token that admits a reader to a site. */
export type SiteAdmission = Pick<ReadingToken, 'organization' | 'site' | 'v'> & {
  l?: string | undefined
  p?: string | undefined
}

/** Returns whether a site still admits the readers of a space. */
export function admitsToSpace(ctx: Context, admission: SiteAdmission, spaceId: string): boolean {
  const site = rememberedSite(ctx.store, admission.organization, admission.site)
  return site !== undefined && isOpen(ctx, site, admission) && shownOf(ctx, site, [spaceId]).size > 0
}

/** Returns whether the site still admits the reader. */
function isOpen(ctx: Context, site: SiteRow, { v, l, p }: SiteAdmission): boolean {
  if (site.access_version !== v) return false
  if (l !== undefined && !isActive(ctx, site, l)) return false
  return p === undefined ? site.published === 1 : mayPreview(ctx, site, p)
}

const isActive = ({ store }: Context, { id, organization_id: organizationId }: SiteRow, linkId: string) =>
  store.remember(`share link ${id} ${linkId}`, () => findShareLink(store, id, linkId), { organizationId })
    ?.active === 1

/** Returns whether a user may preview a site: with the role "create", which a role on its spaces never implies. */
function mayPreview(ctx: Context, site: SiteRow, userId: string): boolean {
  const member = memberWithin(ctx, site.organization_id, userId)
  return member !== undefined && atLeast(ownSiteRole(site, member, grantsOn(ctx, site, userId)), 'create')
}

/** Returns the spaces among `ids` that are live and on the site. */
function shownOf({ store }: Context, site: SiteRow, ids: readonly string[]): ReadonlySet<string> {
  const onSite = new Set(rememberedStructure(store, site).siteSpaces.map(({ space_id }) => space_id))
  return new Set(ids.filter(id => onSite.has(id) && rememberedSpace(store, id)?.deleted_at === null))
}
