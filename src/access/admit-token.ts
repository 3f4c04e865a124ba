import type { Context, Reach } from '../context.ts'
import { type Fault, forbidden, missing } from '../errors.ts'
import { findMember } from '../store/people/organizations.ts'
import { findCollection } from '../store/spaces/collections.ts'
import { rememberedSpace } from '../store/spaces/spaces.ts'
import { listActiveProviders } from '../store/sso/providers.ts'
import type { Actor } from './asker.ts'
import { type Objection, objectionOf, reachOf } from './reach.ts'
import { notForReaders } from './reader.ts'
import { covers, type NeededScope } from './scopes.ts'
import { startUrlOf } from './sign-in.ts'

/** The parameters of a path that lead to an organization. */
type Place = { organizationId?: string; spaceId?: string; collectionId?: string }

/** What an operation needs of a token: a scope of a user's token (undefined: none), and whether it admits readers. */
type Needs = { scope: NeededScope | undefined; readers: boolean }

/**
 * Returns the context of a request, limited to the reach of its token. Throws 'forbidden' for a token without the
 * scope, one that the organization does not accept, or a reading token unless the operation admits readers, and
 * 'missing' for anything beyond the token's limit.
 */
export function admitToken(
  ctx: Context,
  actor: Actor,
  { scope: needed, readers }: Needs,
  params: unknown,
): Context {
  if (actor.type === 'reader' && !readers) throw notForReaders()
  if (actor.type !== 'user') return ctx
  const { token } = actor
  if (needed !== undefined && !covers(JSON.parse(token.scopes) as string[], needed))
    throw forbidden(
      `This operation needs a token with the scope "${needed}", which your token does not have.`,
    )
  const admitted = { ...ctx, reach: reachOf(token) }
  checkPlace(admitted, admitted.reach, params as Place)
  return admitted
}

/** Throws when the path leads beyond the token's limit, or to an organization that does not accept the token. */
function checkPlace(ctx: Context, reach: Reach, place: Place): void {
  const organizationId = organizationOf(ctx, place)
  if (organizationId === undefined) return
  if (reach.spaceId !== null && place.spaceId !== reach.spaceId) throw outside(place)
  if (reach.organizationId !== null && organizationId !== reach.organizationId) throw outside(place)
  const objection = objectionOf(ctx, reach, organizationId)
  // The guard answers 'missing' to callers who do not belong to the organization.
  if (!objection || !findMember(ctx.store, organizationId, reach.userId)) return
  throw forbidden(sentenceOf(ctx, objection, organizationId))
}

function organizationOf(ctx: Context, { organizationId, spaceId, collectionId }: Place): string | undefined {
  if (organizationId !== undefined) return organizationId
  if (spaceId !== undefined) return rememberedSpace(ctx.store, spaceId)?.organization_id
  if (collectionId !== undefined) return findCollection(ctx.store, collectionId)?.organization_id
  return undefined
}

function outside({ organizationId, spaceId, collectionId }: Place): Fault {
  if (spaceId !== undefined) return missing('space', spaceId)
  if (collectionId !== undefined) return missing('collection', collectionId)
  return missing('organization', organizationId ?? '')
}

function sentenceOf(ctx: Context, objection: Objection, organizationId: string): string {
  if (objection.why === 'refused')
    return 'An admin of the organization has refused this token. Use another one.'
  if (objection.why === 'not signed in') {
    const starts = listActiveProviders(ctx.store, organizationId).map(row => startUrlOf(ctx, row))
    return `The organization requires single sign-on. Sign in at ${starts.join(' or ')} and use the token from there.`
  }
  const { days } = objection
  return `The organization only accepts tokens that expire within ${days} ${days === 1 ? 'day' : 'days'} of their creation. Use such a token; one created with a longer-lived token is not accepted either.`
}
