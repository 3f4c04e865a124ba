import type { Context, Reach } from '../context.ts'
import { findTokenTerms } from '../store/people/organization-tokens.ts'
import { rememberedMember } from '../store/people/organizations.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import type { MemberRow, SpaceRow, TokenRow } from '../store/tables/rows.ts'

/** The part of a context that limits the reach of a request. */
export type Reaching = Pick<Context, 'store' | 'reach'>

export const dayMs = 86_400_000

/** Returns the reach of a token. */
export const reachOf = (token: TokenRow): Reach => ({
  userId: token.user_id,
  tokenId: token.id,
  organizationId: token.organization_id,
  spaceId: token.space_id,
  installationId: token.installation_id,
  spaceIds: null,
  siteIds: null,
  lifetimeMs: token.lifetime_ms ?? Number.POSITIVE_INFINITY,
  providerId: token.provider_id,
})

/** Returns whether a token is limited to one organization or one space. */
export const isLimited = (reach: Reach | undefined): boolean =>
  reach !== undefined && (reach.organizationId !== null || reach.spaceId !== null)

/**
 * Why an organization does not accept a token: an admin refused it, it lives longer than the
 * organization allows, or it did not come through an identity provider of the organization, which
 * requires that.
 */
export type Objection =
  | { why: 'refused' }
  | { why: 'too old'; days: number }
  | { why: 'not signed in' }

/** Returns why an organization does not accept the token of a request; undefined if it does. */
export function objectionOf(
  { store }: Reaching,
  reach: Reach,
  organizationId: string,
): Objection | undefined {
  const terms = store.remember(
    `token terms ${organizationId} ${reach.tokenId}`,
    () => findTokenTerms(store, organizationId, reach.tokenId),
    { organizationId },
  )
  if (terms?.refused) return { why: 'refused' }
  if (terms?.sign_in_only && reach.providerId === null) return { why: 'not signed in' }

  const days = terms?.max_token_age_days ?? null
  return days !== null && reach.lifetimeMs > days * dayMs ? { why: 'too old', days } : undefined
}

/**
 * Returns the limits that apply to a user: those of the request's token for its own user, none for
 * others.
 */
const reachFor = ({ reach }: Reaching, userId: string): Reach | undefined =>
  reach?.userId === userId ? reach : undefined

/**
 * Returns whether a request may use the roles of a user in an organization, apart from single
 * spaces.
 */
export function reachesOrganization(
  ctx: Reaching,
  userId: string,
  organizationId: string,
): boolean {
  const reach = reachFor(ctx, userId)
  return !reach || (reach.spaceId === null && accepted(ctx, reach, organizationId))
}

/** Returns whether an organization is within the limit of a token and accepts it. */
function accepted(ctx: Reaching, reach: Reach, organizationId: string): boolean {
  if (reach.organizationId !== null && reach.organizationId !== organizationId) return false
  return objectionOf(ctx, reach, organizationId) === undefined
}

/** Returns whether a request may use the roles of a user in a space. */
export function reachesSpace(
  ctx: Reaching,
  userId: string,
  space: Pick<SpaceRow, 'id' | 'organization_id'>,
): boolean {
  const reach = reachFor(ctx, userId)
  if (!reach) return true
  if (reach.spaceId !== null && reach.spaceId !== space.id) return false
  if (reach.spaceIds?.has(space.id) === false) return false
  return accepted(ctx, reach, space.organization_id)
}

/** Returns the spaces that a request may use as a user, whatever their roles; null for no limit. */
export const spacesWithin = (ctx: Reaching, userId: string): ReadonlySet<string> | null =>
  reachFor(ctx, userId)?.spaceIds ?? null

/**
 * Returns whether a request may use the roles of a user on a site of an organization that it
 * reaches.
 */
export const reachesSite = (ctx: Reaching, userId: string, siteId: string): boolean =>
  reachFor(ctx, userId)?.siteIds?.has(siteId) !== false

/**
 * Returns the membership of a user within the reach of the request's token; undefined for none. A
 * token that is limited to a space makes its user a guest in the organization of that space.
 */
export function memberWithin(
  ctx: Reaching,
  organizationId: string,
  userId: string,
): MemberRow | undefined {
  const member = rememberedMember(ctx.store, organizationId, userId)
  if (!member || reachesOrganization(ctx, userId, organizationId)) return member
  const spaceId = reachFor(ctx, userId)?.spaceId ?? null
  const space = spaceId === null ? undefined : findSpace(ctx.store, spaceId)
  if (space?.organization_id !== organizationId || !reachesSpace(ctx, userId, space))
    return undefined
  return { ...member, role: null }
}
