import { type Identity, mergeIdentities, settleIdentity } from '../content/identity.ts'
import type { Context } from '../context.ts'
import type { Oid } from '../git/oid.ts'
import { readRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { keysOfContent, noIdentity } from './identity.ts'
import { readContent } from './read-content.ts'
import { identityRef } from './ref-names.ts'
import { viewRevision } from './view-revision.ts'

/** The exceptions of a merge of two commits that gave this tree: those of both, the first parent's first. */
export async function mergedIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  parents: readonly [Oid, Oid],
  tree: Oid,
): Promise<Identity> {
  if (!(await readRef(repo, identityRef))) return noIdentity
  const first = (await viewRevision(ctx, spaceId, parents[0])).identity
  const second = (await viewRevision(ctx, spaceId, parents[1])).identity
  if (first.size === 0 && second.size === 0) return noIdentity
  const keys = keysOfContent(await readContent(ctx, repo, spaceId, tree))
  const merged = mergeIdentities(first, second, key => keys.has(key))
  return settleIdentity(spaceId, merged, keys)
}
