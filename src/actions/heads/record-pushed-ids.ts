import type { IdOverrides } from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { firstParents } from '../../git/history/history.ts'
import { readCommit, readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { service } from '../repositories/commit-signatures.ts'
import {
  deriveIdentity,
  nearestIdentity,
  noIdentity,
  readIdentity,
  writeIdentityNotes,
} from '../revisions/identity.ts'
import { mergedIdentity } from '../revisions/merged-identity.ts'

/**
 * The most first-parent commits of one push that are searched for merges, and the most merges
 * followed, newest first.
 */
const mostCommits = 1000
const mostMerges = 20

/** A commit with its identity, to be noted. */
export type Noted = { commit: Oid; identity: IdOverrides }
type Merge = { commit: Oid; tree: Oid; published: Oid; brought: Oid }

/**
 * Writes identity notes for a head that came after `known` from outside (a push, an import), so
 * that pages keep their ids. A merge takes the ids of both its sides, as one of the service would;
 * other commits follow Git's rename detection. Returns the moves of the notes ref.
 */
export async function recordPushedIds(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: { known: Oid; head: Oid; at: Date },
): Promise<RefMove[]> {
  const notes = await identitiesOfPush(ctx, repo, spaceId, { known, head })
  return notes.length === 0 ? [] : writeIdentityNotes(ctx, repo, spaceId, notes, service(at))
}

/** Returns what `recordPushedIds` notes: none if the head has a note already. */
export async function identitiesOfPush(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head }: { known: Oid; head: Oid },
): Promise<Noted[]> {
  const commit = await readCommit(repo, head)
  if (!commit || (await readIdentity(ctx, repo, spaceId, head)) !== undefined) return []
  const start: Noted = {
    commit: known,
    identity: (await readIdentity(ctx, repo, spaceId, known)) ?? noIdentity,
  }
  const { from, merges } = await mergesSince(ctx, repo, spaceId, { known: start, head })
  let last = from

  // The identity of the commits in between follows from these notes.
  const notes = [start]

  for (const { commit, tree, published, brought } of merges) {
    const exceptions = await identityAfter(ctx, repo, spaceId, last, published)
    const sides = { published, brought, exceptions }
    last = { commit, identity: await mergedIdentity(ctx, repo, spaceId, sides, tree) }
    notes.push(last)
  }

  if (last.commit !== head)
    notes.push({ commit: head, identity: await identityAfter(ctx, repo, spaceId, last, head) })

  return notes
}

/** Returns the identity of a commit that follows a noted one. */
const identityAfter = async (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { commit, identity }: Noted,
  oid: Oid,
): Promise<IdOverrides> =>
  commit === oid
    ? identity
    : deriveIdentity(
        ctx,
        repo,
        spaceId,
        { oid: commit, identity },
        { oid, tree: await treeOf(repo, oid) },
      )

/**
 * Returns the noted commit to start from, and the merges after it that brought in content with
 * known ids, oldest first.
 */
async function mergesSince(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head }: { known: Noted; head: Oid },
): Promise<{ from: Noted; merges: Merge[] }> {
  const last = await readCommit(repo, head)
  const [first, second] = last?.parents ?? []
  if (!last || (first === known.commit && !second)) return { from: known, merges: [] }

  const line = [head, ...(await firstParents(repo, head, mostCommits))]
  const from = await startOf(ctx, repo, spaceId, { known, line, second })
  const merges: Merge[] = []
  const commits = await readCommits(repo, line.slice(0, Math.max(0, line.indexOf(from.commit))))

  for (const [commit, { parents, tree }] of commits) {
    const [published, brought] = parents
    if (!published || !brought || parents.length > 2) continue
    if (await nearestIdentity(ctx, repo, spaceId, brought))
      merges.unshift({ commit, tree, published, brought })
    if (merges.length === mostMerges) break
  }

  return { from, merges }
}

/**
 * Returns the nearest noted commit on a first-parent line if it comes after `known`, as when a
 * branch of ours was pushed with more commits on it; else `known`.
 */
async function startOf(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, line, second }: { known: Noted; line: readonly Oid[]; second: Oid | undefined },
): Promise<Noted> {
  const nearest = await nearestIdentity(ctx, repo, spaceId, line[0]!)
  if (!nearest) return known
  const knownAt = line.indexOf(known.commit)
  const nearestAt = line.indexOf(nearest.oid)
  if (nearestAt < 0 || (knownAt >= 0 && knownAt <= nearestAt)) return known

  // A branch that was updated and then pushed has the published head behind its second parent.
  const follows =
    knownAt >= 0 || (second !== undefined && (await isAncestor(repo, known.commit, second)))

  return follows ? { commit: nearest.oid, identity: nearest.identity } : known
}
