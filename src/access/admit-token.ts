import type { Context, Reach } from '../context.ts'
import { Fault, missing } from '../errors.ts'
import { findInstallationLimits } from '../store/integrations/installations.ts'
import { findMember } from '../store/people/organizations.ts'
import { findCollection } from '../store/spaces/collections.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import { listActiveProviders } from '../store/sso/providers.ts'
import type { TokenRow } from '../store/tables/rows.ts'
import type { Actor } from './asker.ts'
import { installationMay, scopesFor, secretMay } from './integration-scopes.ts'
import { type Objection, objectionOf, reachOf } from './reach.ts'
import { notForReaders } from './reader.ts'
import { covers, type NeededScope } from './scopes.ts'
import { startUrlOf } from './sign-in.ts'

/** The parameters of a path that lead to an organization. */
type TargetParams = {
  organizationId?: string
  spaceId?: string
  collectionId?: string
  siteId?: string
}

/**
 * What an operation needs of a token: a scope of a user's token (undefined: none), and whether it
 * admits readers. Tokens of integrations are admitted by its name.
 */
type Needs = { operationId: string; scope: NeededScope | undefined; readers: boolean }

/**
 * Returns the context of a request, limited to the reach of its token. Throws 'forbidden' for a
 * token without the scope, one that the organization does not accept, or a reading token unless the
 * operation admits readers, and 'missing' for anything beyond the token's limit.
 */
export function admitToken(
  ctx: Context,
  actor: Actor,
  { operationId, scope: needed, readers }: Needs,
  params: unknown,
): Context {
  if (actor.type === 'reader' && !readers) throw notForReaders()
  if (actor.type !== 'user') return ctx
  const { token } = actor

  if (token.installation_id !== null || token.integration_id !== null) {
    const admitted = { ...ctx, reach: reachOfIntegration(ctx, token, operationId) }
    checkPlace(admitted, admitted.reach, params as TargetParams)
    return admitted
  }

  if (needed !== undefined && !covers(token.scopes, needed))
    throw new Fault(
      'scope_required',
      `This operation needs a token with the scope "${needed}", which your token does not have.`,
    )

  const admitted = { ...ctx, reach: reachOf(token) }

  checkPlace(admitted, admitted.reach, params as TargetParams)

  return admitted
}

/**
 * Returns the reach of a token of an integration. Throws 'forbidden' for an operation that its
 * scopes do not admit.
 */
function reachOfIntegration(ctx: Context, token: TokenRow, operationId: string): Reach {
  if (token.installation_id === null) {
    if (secretMay(operationId)) return reachOf(token)
    throw new Fault(
      'token_not_accepted',
      'The secret of an integration creates tokens of its installations. Use such a token for this operation.',
    )
  }

  const id = token.installation_id
  const limits = ctx.store.remember(
    `installation limits ${id}`,
    () => findInstallationLimits(ctx.store, id),
    {},
  )
  const scopes = limits?.accepted.filter(scope => limits.offered.includes(scope)) ?? []
  if (!limits || !installationMay(scopes, operationId)) throw beyondScopes(operationId)

  return {
    ...reachOf(token),
    spaceIds: limits.space_selection === 'all' ? null : new Set(limits.spaces),
    siteIds: limits.site_selection === 'all' ? null : new Set(limits.sites),
  }
}

function beyondScopes(operationId: string): Fault {
  const admitting = scopesFor(operationId).map(scope => `"${scope}"`)
  return admitting.length === 0
    ? new Fault('token_not_accepted', 'Tokens of integrations may not call this operation.')
    : new Fault(
        'scope_required',
        `This operation needs an installation with the scope ${admitting.join(' or ')}, which was not accepted when the integration was installed.`,
      )
}

/**
 * Throws when the path leads beyond the token's limit, or to an organization that does not accept
 * the token.
 */
function checkPlace(ctx: Context, reach: Reach, place: TargetParams): void {
  const organizationId = organizationOf(ctx, place)
  if (organizationId === undefined) return
  if (reach.spaceId !== null && place.spaceId !== reach.spaceId) throw outside(place)
  if (reach.organizationId !== null && organizationId !== reach.organizationId) throw outside(place)
  if (place.spaceId !== undefined && reach.spaceIds?.has(place.spaceId) === false)
    throw outside(place)
  if (place.siteId !== undefined && reach.siteIds?.has(place.siteId) === false)
    throw missing('site', place.siteId)

  const objection = objectionOf(ctx, reach, organizationId)

  // The guard answers 'missing' to callers who do not belong to the organization.
  if (!objection || !findMember(ctx.store, organizationId, reach.userId)) return
  throw objected(ctx, objection, organizationId)
}

function organizationOf(
  ctx: Context,
  { organizationId, spaceId, collectionId }: TargetParams,
): string | undefined {
  if (organizationId !== undefined) return organizationId
  if (spaceId !== undefined) return rememberedSpace(ctx.store, spaceId)?.organization_id
  if (collectionId !== undefined) return findCollection(ctx.store, collectionId)?.organization_id
  return undefined
}

function outside({ organizationId, spaceId, collectionId }: TargetParams): Fault {
  if (spaceId !== undefined) return missing('space', spaceId)
  if (collectionId !== undefined) return missing('collection', collectionId)
  return missing('organization', organizationId ?? '')
}

function objected(ctx: Context, objection: Objection, organizationId: string): Fault {
  if (objection.why === 'refused')
    return new Fault(
      'token_refused',
      'An admin of the organization has refused this token. Use another one.',
    )
  if (objection.why === 'not signed in') {
    const starts = listActiveProviders(ctx.store, organizationId).map(row => startUrlOf(ctx, row))
    return new Fault(
      'sso_required',
      `The organization requires single sign-on. Sign in at ${starts.join(' or ')} and use the token from there.`,
    )
  }
  const { days } = objection
  return new Fault(
    'token_refused',
    `The organization only accepts tokens that expire within ${days} ${days === 1 ? 'day' : 'days'} of their creation. Use such a token; one created with a longer-lived token is not accepted either.`,
  )
}
