import { stateSlot } from '../../caches.ts'
import type { Variables } from '../../content/tree/variables.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Oid } from '../../lib/oid.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { readVariablesOf } from './read-content.ts'

/** The number of revisions whose variables are cached. */
const mostCached = 2_000

const cached = stateSlot(() => new BoundedCache<string, Readonly<Variables>>(mostCached))

/** Returns the variables of a space at a revision, without reading the rest of its content. */
export async function spaceVariables(
  ctx: Context,
  spaceId: string,
  revision: Oid,
): Promise<Readonly<Variables>> {
  const cache = ctx.caches.get(cached)
  const key = `${spaceId} ${revision}`
  const known = cache.get(key)
  if (known) return known
  const repo = spaceRepository(ctx, spaceId)
  const variables = await readVariablesOf(repo, revision)
  cache.set(key, variables, 1)
  return variables
}
