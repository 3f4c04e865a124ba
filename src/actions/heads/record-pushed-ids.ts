import type { Identity } from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { firstParents } from '../../git/history/history.ts'
import { readCommit, readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../git/values/oid.ts'
import { service } from '../repositories/commit-signatures.ts'
import {
  deriveIdentity,
  nearestIdentity,
  noIdentity,
  noteIdentities,
  readIdentity,
} from '../revisions/identity.ts'
import { mergedIdentity } from '../revisions/merged-identity.ts'

/** How many commits of one arrival are looked through for merges, and how many of these, the latest, are understood. */
const mostCommits = 1000
const mostMerges = 20

type Noted = { commit: Oid; identity: Identity }
type Merge = { commit: Oid; tree: Oid; published: Oid; brought: Oid }

/**
 * Notes the exceptions of a head that came after `known` without a word from us: a push, an import. A merge has them from
 * both its sides, as one of ours would; everything else as Git's rename detection says. Gives the moves of the notes ref.
 */
export async function noteArrival(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: { known: Oid; head: Oid; at: Date },
): Promise<RefMove[]> {
  const commit = await readCommit(repo, head)
  if (!commit || (await readIdentity(repo, head)) !== undefined) return []
  const start: Noted = { commit: known, identity: (await readIdentity(repo, known)) ?? noIdentity }
  const way = await wayTo(repo, start, head)
  let last = way.from
  // With the one before and the merges, from which those in between follow.
  const notes = [start]
  for (const { commit, tree, published, brought } of way.merges) {
    const exceptions = await identityAfter(ctx, repo, spaceId, last, published)
    const sides = { published, brought, exceptions }
    last = { commit, identity: await mergedIdentity(ctx, repo, spaceId, sides, tree) }
    notes.push(last)
  }
  if (last.commit !== head)
    notes.push({ commit: head, identity: await identityAfter(ctx, repo, spaceId, last, head) })
  return noteIdentities(repo, notes, service(at))
}

/** The exceptions of a commit that follows a noted one. */
const identityAfter = async (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { commit, identity }: Noted,
  oid: Oid,
): Promise<Identity> =>
  commit === oid
    ? identity
    : deriveIdentity(ctx, repo, spaceId, { oid: commit, identity }, { oid, tree: await treeOf(repo, oid) })

/**
 * Where to start from, and the merges from there on with which something came in whose pages we know, oldest first: from
 * the nearest noted commit, when a branch of ours was pushed with more on it; else from what was known.
 */
async function wayTo(repo: Repository, known: Noted, head: Oid): Promise<{ from: Noted; merges: Merge[] }> {
  const last = await readCommit(repo, head)
  const [first, second] = last?.parents ?? []
  if (!last || (first === known.commit && !second)) return { from: known, merges: [] }
  const line = [head, ...(await firstParents(repo, head, mostCommits))]
  const nearest = await nearestIdentity(repo, head)
  const [behind, noted] = [line.indexOf(known.commit), nearest ? line.indexOf(nearest.oid) : -1]
  // Whoever brings a branch up to date and pushes it has what was published behind the second parent.
  const follows = behind >= 0 || (second !== undefined && (await isAncestor(repo, known.commit, second)))
  const isNearer = nearest !== undefined && follows && noted >= 0 && (behind < 0 || noted < behind)
  const from = isNearer ? { commit: nearest.oid, identity: nearest.identity } : known
  const commits = await readCommits(repo, line.slice(0, Math.max(0, line.indexOf(from.commit))))
  const merges: Merge[] = []
  for (const [commit, { parents, tree }] of commits) {
    const [published, brought] = parents
    if (!published || !brought || parents.length > 2) continue
    if (await nearestIdentity(repo, brought)) merges.unshift({ commit, tree, published, brought })
    if (merges.length === mostMerges) break
  }
  return { from, merges }
}
