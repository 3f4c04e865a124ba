import type { Context, Reach } from '../context.ts'
import { type Fault, forbidden, missing } from '../errors.ts'
import { findMember } from '../store/people/organizations.ts'
import { findCollection } from '../store/spaces/collections.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import type { Actor } from './asker.ts'
import { type Objection, objectionOf, reachOf } from './reach.ts'
import { covers, type NeededScope } from './scopes.ts'

/** The parameters of a path that say in which organization it leads. */
type Place = { organizationId?: string; spaceId?: string; collectionId?: string }

/**
 * Returns the context that a request is served with: the roles of its user in it end where the token ends. Throws
 * 'forbidden' for a token without the scope, or that the organization does not accept, and 'missing' for what lies outside
 * of the token's limit.
 */
export function admitToken(
  ctx: Context,
  actor: Actor,
  needed: NeededScope | undefined,
  params: unknown,
): Context {
  if (actor.type === 'anonymous') return ctx
  const { token } = actor
  if (needed !== undefined && !covers(JSON.parse(token.scopes) as string[], needed))
    throw forbidden(`This needs a token with the scope "${needed}"; yours does not have it.`)
  const admitted = { ...ctx, reach: reachOf(token) }
  checkPlace(admitted, admitted.reach, params as Place)
  return admitted
}

/** Throws where the path leads to what is outside of the token's limit, or to an organization that does not accept it. */
function checkPlace(ctx: Context, reach: Reach, place: Place): void {
  const organizationId = organizationOf(ctx, place)
  if (organizationId === undefined) return
  if (reach.spaceId !== null && place.spaceId !== reach.spaceId) throw outside(place)
  if (reach.organizationId !== null && organizationId !== reach.organizationId) throw outside(place)
  const objection = objectionOf(ctx, reach, organizationId)
  // Whoever does not belong to the organization learns from the guard that there is nothing here.
  if (!objection || !findMember(ctx.store, organizationId, reach.userId)) return
  throw forbidden(sentenceOf(objection))
}

function organizationOf(ctx: Context, { organizationId, spaceId, collectionId }: Place): string | undefined {
  if (organizationId !== undefined) return organizationId
  if (spaceId !== undefined)
    return ctx.store.remember(`space ${spaceId}`, () => findSpace(ctx.store, spaceId))?.organization_id
  if (collectionId !== undefined) return findCollection(ctx.store, collectionId)?.organization_id
  return undefined
}

function outside({ organizationId, spaceId, collectionId }: Place): Fault {
  if (spaceId !== undefined) return missing('space', spaceId)
  if (collectionId !== undefined) return missing('collection', collectionId)
  return missing('organization', organizationId ?? '')
}

function sentenceOf(objection: Objection): string {
  if (objection.why === 'refused')
    return 'An admin of the organization has refused this token. Use another one.'
  const { days } = objection
  return `The organization accepts only tokens that expire within ${days} ${days === 1 ? 'day' : 'days'} of being made. Use one that does; a token that was made with a longer-lived token does not count.`
}
