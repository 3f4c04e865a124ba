import { type Identity, idsOf, mergeIdentities } from '../content/identity.ts'
import { keysOf } from '../content/tree.ts'
import type { RevisionView } from '../content/view.ts'
import type { Context } from '../context.ts'
import { mergeBase } from '../git/merge.ts'
import type { Oid } from '../git/oid.ts'
import { readRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { keysOfTree, noIdentity } from './identity.ts'
import { identityRef } from './ref-names.ts'
import { viewRevision } from './view-revision.ts'

/** The exceptions of a merge of two heads, in whichever direction, that gave this tree: published ids stay as they are. */
export async function mergedIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  heads: { published: Oid; brought: Oid },
  tree: Oid,
): Promise<Identity> {
  if (!(await readRef(repo, identityRef))) return noIdentity
  const published = await viewRevision(ctx, spaceId, heads.published)
  const brought = await viewRevision(ctx, spaceId, heads.brought)
  if (published.identity.size === 0 && brought.identity.size === 0) return noIdentity
  const base = await mergeBase(repo, heads.published, heads.brought)
  const origin = base && (await viewRevision(ctx, spaceId, base))
  const keys = await keysOfTree(ctx, repo, spaceId, tree)
  const ids = (view: RevisionView) => idsOf(spaceId, view.identity, keysOf(view.content))
  return mergeIdentities(spaceId, keys, {
    published: ids(published),
    brought: ids(brought),
    origin: origin ? ids(origin) : new Map(),
  })
}
