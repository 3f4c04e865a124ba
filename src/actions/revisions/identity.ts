import { keySteps } from '../../content/tree/build.ts'
import {
  followRenames,
  formatIdentity,
  type IdOverrides,
  parseIdentity,
  settleIdentity,
} from '../../content/tree/identity.ts'
import type { Context } from '../../context.ts'
import { readNote, writeNotes } from '../../git/commits/notes.ts'
import { openQuarantine, type Person, type Quarantine } from '../../git/commits/quarantine.ts'
import { firstParents } from '../../git/history/history.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { diffTrees } from '../../git/trees/diff.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { headOf } from '../repositories/head-of.ts'
import { identityRef } from '../repositories/ref-names.ts'
import { readContent } from './read-content.ts'

export const noIdentity: IdOverrides = new Map()

/**
 * Returns the identity noted on a commit (the ids that differ from the default of their key);
 * undefined without a note.
 */
export async function readIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
): Promise<IdOverrides | undefined> {
  const tip = headOf(ctx, spaceId, identityRef)
  const note = tip && (await readNote(repo, tip, oid))
  return note === undefined ? undefined : parseIdentity(note)
}

/**
 * The most commits searched for a note. After a larger unrecorded push, pages have their default
 * ids.
 */
const farthest = 1000

/**
 * Returns the nearest commit on the first-parent line that has a note, with its identity; undefined
 * for commits older than the first note of the space, which have none.
 */
export async function nearestIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
): Promise<{ oid: Oid; identity: IdOverrides } | undefined> {
  const tip = headOf(ctx, spaceId, identityRef)
  if (!tip) return undefined
  const notes = await treeOf(repo, tip)
  for (const commit of await firstParents(repo, oid, farthest)) {
    const note = await readNote(repo, notes, commit)
    if (note !== undefined) return { oid: commit, identity: parseIdentity(note) }
  }
  return undefined
}

/**
 * Returns the keys of all pages, files and reusable content of a tree. They do not depend on the
 * identity.
 */
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
 * Derives the identity of a commit that was made outside (a push, an import) from an earlier one,
 * following Git's rename detection between the two.
 */
export async function deriveIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  before: { oid: Oid; identity: IdOverrides },
  after: { oid: Oid; tree: Oid },
): Promise<IdOverrides> {
  const changes = await diffTrees(repo, before.oid, after.oid, { renames: true })
  const renamed = changes.filter(change => change.status === 'renamed' && change.from !== undefined)
  if (renamed.length === 0 && before.identity.size === 0) return noIdentity

  const commit = await readCommit(repo, before.oid)
  if (!commit) return noIdentity

  const keysBefore = await keysOfTree(ctx, repo, spaceId, commit.tree)
  const keysAfter = await keysOfTree(ctx, repo, spaceId, after.tree)
  const added = [...keysAfter].filter(key => !keysBefore.has(key))
  const renames = new Map(renamed.map(change => [change.path, change.from as string]))
  const identity = followRenames(spaceId, before.identity, {
    keysBefore,
    keysAfter,
    renames,
    added,
  })

  return settleIdentity(spaceId, identity, keysAfter)
}

/**
 * Writes identity notes for new heads; none if they have no overrides and the space never had any.
 * Returns the moves of the notes ref, to be made together with the heads'. With a quarantine the
 * notes go into it and the caller flushes it.
 */
export async function writeIdentityNotes(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  notes: readonly { commit: Oid; identity: IdOverrides }[],
  committer: Person,
  shared?: Quarantine,
): Promise<RefMove[]> {
  const tip = headOf(ctx, spaceId, identityRef)
  if (!tip && notes.every(note => note.identity.size === 0)) return []
  const fresh = []

  for (const { commit, identity } of notes) {
    const text = formatIdentity(identity)
    if (tip && (await readNote(repo, tip, commit)) === text) continue
    fresh.push({ commit, text })
  }

  if (fresh.length === 0) return []

  const quarantine = shared ?? openQuarantine(repo)
  const move = await writeNotes(repo, quarantine, { ref: identityRef, from: tip }, fresh, committer)
  if (!shared) await quarantine.flush()

  return [move]
}
