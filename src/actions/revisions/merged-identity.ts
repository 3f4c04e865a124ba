import { keysOf } from '../../content/tree/build.ts'
import { type IdOverrides, idsOf, mergeIdentities } from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { mergeBase } from '../../git/commits/merge.ts'
import type { Repository } from '../../git/process/processes.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { headOf } from '../repositories/head-of.ts'
import { identityRef } from '../repositories/ref-names.ts'
import { keysOfTree, noIdentity } from './identity.ts'
import { viewRevision } from './view-revision.ts'

type Side = { identity: IdOverrides; keys: Iterable<string> }

/**
 * Returns the identity of the merge of two heads, in either direction, whose tree this is:
 * published ids stay. `exceptions` is the identity of the published head if it is not noted yet,
 * `base` the commit that the two are compared with if it is not their common ancestor.
 */
export async function mergedIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  heads: { published: Oid; brought: Oid; base?: Oid; exceptions?: IdOverrides },
  tree: Oid,
): Promise<IdOverrides> {
  if (!headOf(ctx, spaceId, identityRef)) return noIdentity
  const viewed = async (oid: Oid): Promise<Side> => {
    const { identity, content } = await viewRevision(ctx, spaceId, oid)
    return { identity, keys: keysOf(content) }
  }
  const keysAt = async (oid: Oid) => keysOfTree(ctx, repo, spaceId, await treeOf(repo, oid))
  const { exceptions } = heads
  const published = exceptions
    ? { identity: exceptions, keys: await keysAt(heads.published) }
    : await viewed(heads.published)
  const brought = await viewed(heads.brought)
  if (published.identity.size === 0 && brought.identity.size === 0) return noIdentity

  const base = heads.base ?? (await mergeBase(repo, heads.published, heads.brought))
  const origin = base && (await viewed(base))
  const keys = await keysOfTree(ctx, repo, spaceId, tree)
  const ids = ({ identity, keys }: Side) => idsOf(spaceId, identity, keys)

  return mergeIdentities(spaceId, keys, {
    published: ids(published),
    brought: ids(brought),
    origin: origin ? ids(origin) : new Map(),
  })
}
