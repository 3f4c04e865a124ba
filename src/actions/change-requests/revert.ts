import type { Idempotency, Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { isAncestor, type MergeConflict } from '../../git/commits/merge.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { mergeCommits } from '../revisions/merge-commits.ts'
import { mergedIdentity } from '../revisions/merged-identity.ts'
import { type Conflict, describeConflicts, type Sides } from '../revisions/name-conflicts.ts'
import { onTopOf } from '../revisions/on-top-of.ts'
import { type Resolution, resolveConflicts } from '../revisions/resolve-conflicts.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { createChangeRequest, type FirstPlace } from './create-change-request.ts'

type RevertOrder = {
  space: SpaceRow
  by: UserRow
  /** Undefined: `Revert "…"`. */
  subject?: string | undefined
  /** A document. */
  description?: object | null | undefined
  origin?: Origin | null | undefined
  idempotency?:
    | { to: Idempotency; status: number; body: (row: ChangeRequestRow) => unknown }
    | undefined
}

type MergeOrder = RevertOrder & {
  /** The merged change request. */
  changeRequest: ChangeRequestRow
  /** The resolution of every conflict; undefined: conflicts are only reported. */
  resolutions?: readonly Resolution[] | undefined
}

/**
 * The outcome of a revert: the new change request, or the conflicts between the primary content
 * ("ours") and the content before the merge ("theirs"). With conflicts nothing was created.
 */
type RevertOutcome = { changeRequest: ChangeRequestRow } | { revision: Oid; conflicts: Conflict[] }

/** The conflicts of a revert without resolutions, thrown out of the space's lock. */
class Conflicting extends Error {
  readonly sides: Sides
  readonly conflicts: readonly MergeConflict[]

  constructor(sides: Sides, conflicts: readonly MergeConflict[]) {
    super('A revert has conflicts.')
    this.sides = sides
    this.conflicts = conflicts
  }
}

/**
 * Creates a change request that takes back what a merge brought: the primary content, merged with
 * the content before the merge as it differs from the merge. Throws 'conflict' if the change
 * request is not merged, if its merge is no longer part of the primary content, and if there is
 * nothing to take back.
 */
export async function revertMerge(ctx: Context, order: MergeOrder): Promise<RevertOutcome> {
  const { space, changeRequest } = order
  const title = revertTitle(changeRequest)
  try {
    const row = await createChangeRequest(ctx, {
      ...order,
      subject: order.subject ?? title,
      description: order.description ?? null,
      first: (quarantine, place) => writeMergeReverted(ctx, quarantine, { ...order, title }, place),
    })
    return { changeRequest: row }
  } catch (error) {
    if (!(error instanceof Conflicting)) throw error
    const { sides, conflicts } = error
    return {
      revision: sides.ours,
      conflicts: await describeConflicts(ctx, space.id, sides, conflicts),
    }
  }
}

/**
 * Creates a change request with the content of a revision on top of the primary head. Throws
 * 'missing' for what is no revision of the space, 'conflict' if the primary content is the same.
 */
export async function revertContent(
  ctx: Context,
  order: RevertOrder & { revision: Oid },
): Promise<ChangeRequestRow> {
  const { space, revision } = order
  if (!(await isRevision(ctx, space.id, revision))) throw missing('revision', revision)
  const commit = await readCommit(spaceRepository(ctx, space.id), revision)
  const named = commit?.message.trim().split(/\r?\n/, 1)[0]
  const title = named ? revertOf(named, 'to ') : `Revert to ${revision}`
  return createChangeRequest(ctx, {
    ...order,
    subject: order.subject ?? title,
    description: order.description ?? null,
    first: (quarantine, place) => writeRevision(ctx, quarantine, { ...order, title }, place),
  })
}

/** Returns the subject of a change request that reverts another one. */
export const revertTitle = ({ subject, number }: ChangeRequestRow): string =>
  subject.trim() ? revertOf(subject.trim()) : `Revert change request #${number}`

/** The longest subject, in UTF-16 code units. */
const longestSubject = 100

/** Returns the subject of a revert, which quotes what it takes back. */
function revertOf(title: string, preposition = ''): string {
  const room = longestSubject - `Revert ${preposition}""`.length
  const text = title.replace(/\s+/g, ' ')
  const cut =
    text.length > room
      ? `${text
          .slice(0, room - 1)
          .toWellFormed()
          .replace(/\ufffd$/, '')}…`
      : text
  return `Revert ${preposition}"${cut}"`
}

/** The content of a revert, and what its commit says of it. */
type Reverted = { tree: Oid; message: string; identity: () => ReturnType<typeof mergedIdentity> }

async function writeMergeReverted(
  ctx: Context,
  quarantine: Quarantine,
  order: MergeOrder & { title: string },
  place: FirstPlace,
) {
  const { space, changeRequest, resolutions } = order
  const { head } = place
  const repo = spaceRepository(ctx, space.id)
  const { merge, before, theirs } = await readMerge(ctx, changeRequest, head)
  const merged = await mergeCommits(repo, quarantine, head, theirs)
  const conflicts = merged.clean ? [] : merged.conflicts
  if (conflicts.length > 0 && !resolutions)
    throw new Conflicting({ ours: head, theirs: before }, conflicts)

  const tree = await resolveConflicts(repo, quarantine, merged.tree, conflicts, resolutions ?? [])
  if (tree === (await treeOf(repo, head))) throw nothingToRevert(changeRequest)

  const sides = { published: head, brought: before, base: merge }
  return writeReverted(ctx, quarantine, order, place, {
    tree,
    message: `This reverts commit ${merge}, reversing\nchanges made to ${before}.`,
    identity: () => mergedIdentity(ctx, repo, space.id, sides, tree),
  })
}

/** Returns the refusal of a revert that would change nothing. */
export const nothingToRevert = ({ number }: ChangeRequestRow): Fault =>
  new Fault(
    'nothing_to_revert',
    `Nothing to revert: the content has nothing more of change request #${number}.`,
  )

/**
 * Returns the merge of a change request, the primary content before it, and a commit that takes
 * back what the merge brought. Throws 'conflict' if there is no such merge in the primary content.
 */
export async function readMerge(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  head: Oid,
): Promise<{ merge: Oid; before: Oid; theirs: Oid }> {
  const repo = spaceRepository(ctx, changeRequest.space_id)
  const { status, revision_merged: merge } = changeRequest
  if (status !== 'merged' || !merge)
    throw new Fault(
      'not_merged',
      `Change request #${changeRequest.number} is not merged: there is nothing to revert.`,
    )

  const [before] = (await readCommit(repo, merge))?.parents ?? []
  if (!before || !(await isAncestor(repo, merge, head))) throw isGone(changeRequest)
  const theirs = await onTopOf(repo, merge, before)
  if (!theirs) throw isGone(changeRequest)

  return { merge, before, theirs }
}

const isGone = ({ number }: ChangeRequestRow): Fault =>
  new Fault(
    'nothing_to_revert',
    `The merge of change request #${number} is no longer part of the primary content: there is nothing to revert.`,
  )

async function writeRevision(
  ctx: Context,
  quarantine: Quarantine,
  order: RevertOrder & { revision: Oid; title: string },
  place: FirstPlace,
) {
  const { space, revision } = order
  const { treeOid: tree, identity } = await viewRevision(ctx, space.id, revision)
  if (tree === (await treeOf(spaceRepository(ctx, space.id), place.head)))
    throw new Fault(
      'nothing_to_revert',
      'Nothing to revert: the primary content is that of the revision already.',
    )

  return writeReverted(ctx, quarantine, order, place, {
    tree,
    message: `This restores the content of commit ${revision}.`,
    identity: async () => identity,
  })
}

/** Writes the commit of a revert on top of the primary head. */
async function writeReverted(
  ctx: Context,
  quarantine: Quarantine,
  { space, by, title }: RevertOrder & { title: string },
  { number, at, head }: FirstPlace,
  { tree, message, identity }: Reverted,
) {
  const commit = await quarantine.writeCommit({
    tree,
    parents: [head],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(`${title}\n\n${message}`, {
      'Stemma-Space': space.id,
      'Stemma-Change-Request': number,
      'Stemma-Operation': 'revert',
    }),
  })
  const note = async () =>
    writeIdentityNotes(
      ctx,
      spaceRepository(ctx, space.id),
      space.id,
      [{ commit, identity: await identity() }],
      service(at),
    )

  return { commit, note }
}
