import type { Identity } from '../content/identity.ts'
import { buildTree } from '../content/tree.ts'
import type { RevisionView } from '../content/view.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { readCommit } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import { readRef } from '../git/refs.ts'
import { defaultBranch, type Repository } from '../git/repository.ts'
import { findMirroredRef } from '../store/refs.ts'
import { deriveIdentity, noIdentity, readIdentity } from './identity.ts'
import { type ReadContent, readContent } from './read-content.ts'
import { identityRef } from './ref-names.ts'
import { spaceRepository } from './space-repository.ts'

/** An estimate of what a view holds in memory, in bytes: it decides how many are kept. */
const weigh = (view: RevisionView): number =>
  20_000 + view.content.files.length * 500 + view.content.pageById.size * 2_500

const loading = new Map<string, Promise<RevisionView>>()

/** A revision of a space, read and understood: at once when it was read lately. Throws 'missing' when there is no such commit. */
export async function viewRevision(ctx: Context, spaceId: string, oid: Oid): Promise<RevisionView> {
  const key = `${spaceId} ${oid}`
  const known = ctx.views.get(key)
  if (known) return known
  // Many readers of a fresh revision wait for one reading of it.
  const pending = loading.get(key)
  if (pending) return pending
  const load = loadView(ctx, spaceRepository(ctx, spaceId), spaceId, oid).finally(() => loading.delete(key))
  loading.set(key, load)
  const view = await load
  ctx.views.set(key, view, weigh(view))
  return view
}

async function loadView(ctx: Context, repo: Repository, spaceId: string, oid: Oid): Promise<RevisionView> {
  const commit = await readCommit(repo, oid)
  if (!commit) throw missing('revision', oid)
  const content = await readContent(ctx, repo, spaceId, commit.tree)
  const identity = await identityOf(ctx, repo, spaceId, oid, content)
  return {
    oid,
    treeOid: commit.tree,
    parents: commit.parents,
    message: commit.message,
    committedAt: commit.committer.at,
    content: buildTree({ ...content.input, identity }),
    identity,
    notices: content.notices,
    answers: new Map(),
  }
}

/** The exceptions of a commit: as noted, or, for one that nobody noted in a space that has notes, as Git tells from the head of the primary content. */
async function identityOf(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
  content: ReadContent,
): Promise<Identity> {
  const noted = await readIdentity(repo, oid)
  if (noted) return noted
  if (!(await readRef(repo, identityRef))) return noIdentity
  const head = findMirroredRef(ctx.store, spaceId, await defaultBranch(repo)) as Oid | undefined
  if (!head || head === oid) return noIdentity
  const before = { oid: head, identity: (await readIdentity(repo, head)) ?? noIdentity }
  return deriveIdentity(ctx, repo, spaceId, before, { oid, content })
}
