import { keySteps } from '../../content/tree/build.ts'
import {
  followRenames,
  formatIdentity,
  type Identity,
  parseIdentity,
  settleIdentity,
} from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { readNote, writeNotes } from '../../git/commits/notes.ts'
import { openQuarantine, type Person, type Quarantine } from '../../git/commits/quarantine.ts'
import { firstParents } from '../../git/history/history.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type RefMove, readRef } from '../../git/refs/refs.ts'
import { diffTrees } from '../../git/trees/diff.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../git/values/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { identityRef } from '../repositories/ref-names.ts'
import { readContent } from './read-content.ts'

export const noIdentity: Identity = new Map()

/** The exceptions noted on a commit; undefined when nothing was noted. */
export async function readIdentity(repo: Repository, oid: Oid): Promise<Identity | undefined> {
  const tip = await readRef(repo, identityRef)
  const note = tip && (await readNote(repo, tip, oid))
  return note === undefined ? undefined : parseIdentity(note)
}

/** How far back a noted commit is looked for: a push of more commits shows those before with the ids they are born with. */
const farthest = 1000

/**
 * The nearest commit behind this one, on its first-parent line, that something was noted on, with what it was. Undefined
 * for what is older than the first note of the space: no exception held then.
 */
export async function nearestIdentity(
  repo: Repository,
  oid: Oid,
): Promise<{ oid: Oid; identity: Identity } | undefined> {
  const tip = await readRef(repo, identityRef)
  if (!tip) return undefined
  const notes = await treeOf(repo, tip)
  for (const commit of await firstParents(repo, oid, farthest)) {
    const note = await readNote(repo, notes, commit)
    if (note !== undefined) return { oid: commit, identity: parseIdentity(note) }
  }
  return undefined
}

/** Everything in a content that has an id: the keys of its pages, files and reusable content, which do not depend on the identity. */
export async function keysOfTree(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
): Promise<Set<string>> {
  const { input } = await readContent(ctx, repo, spaceId, tree)
  return inSlices(keySteps(input))
}

/**
 * The exceptions of a commit that follows another without a word from us (a push, an import): Git's rename detection
 * between the two says which path became which.
 */
export async function deriveIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  before: { oid: Oid; identity: Identity },
  after: { oid: Oid; tree: Oid },
): Promise<Identity> {
  const changes = await diffTrees(repo, before.oid, after.oid, { renames: true })
  const renamed = changes.filter(change => change.status === 'renamed' && change.from !== undefined)
  if (renamed.length === 0 && before.identity.size === 0) return noIdentity
  const commit = await readCommit(repo, before.oid)
  if (!commit) return noIdentity
  const keysBefore = await keysOfTree(ctx, repo, spaceId, commit.tree)
  const keysAfter = await keysOfTree(ctx, repo, spaceId, after.tree)
  const added = [...keysAfter].filter(key => !keysBefore.has(key))
  const renames = new Map(renamed.map(change => [change.path, change.from as string]))
  const identity = followRenames(spaceId, before.identity, { keysBefore, keysAfter, renames, added })
  return settleIdentity(spaceId, identity, keysAfter)
}

/**
 * Notes the exceptions of new heads: nothing when they have none and the space never had any. Gives the moves of the
 * notes ref, to be made in the transaction that moves the heads. Where the caller has a quarantine they go into it, and
 * the caller flushes it.
 */
export async function noteIdentities(
  repo: Repository,
  notes: readonly { commit: Oid; identity: Identity }[],
  committer: Person,
  shared?: Quarantine,
): Promise<RefMove[]> {
  const tip = await readRef(repo, identityRef)
  if (!tip && notes.every(note => note.identity.size === 0)) return []
  const fresh = []
  for (const { commit, identity } of notes) {
    const text = formatIdentity(identity)
    if (tip && (await readNote(repo, tip, commit)) === text) continue
    fresh.push({ commit, text })
  }
  if (fresh.length === 0) return []
  const quarantine = shared ?? openQuarantine(repo)
  const move = await writeNotes(repo, quarantine, identityRef, fresh, committer)
  if (!shared) await quarantine.flush()
  return [move]
}
