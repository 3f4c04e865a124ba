import type { Idempotency } from '../access/asker.ts'
import type { Change } from '../content/edit-changes.ts'
import { applyChanges, type Edits, type Outcome } from '../content/edits.ts'
import type { FileNode } from '../content/tree.ts'
import type { RevisionView } from '../content/view.ts'
import type { Context } from '../context.ts'
import { Fault, forbidden, missing } from '../errors.ts'
import type { Oid } from '../git/oid.ts'
import { findChangeRequest } from '../store/change-requests.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../store/rows.ts'
import { findSpace } from '../store/spaces.ts'
import { againIfMoved } from './again-if-moved.ts'
import { checkRole } from './check-role.ts'
import { commitOperation } from './commit-operation.ts'
import { readSource } from './edit-sources.ts'
import type { Effect } from './effects.ts'
import { findMergeBase } from './find-merge-base.ts'
import { findOutdated, noteChild } from './find-outdated.ts'
import { noteRevision } from './find-reachable.ts'
import { noteIdentities } from './identity.ts'
import { service } from './people.ts'
import { type Head, readHeads, readHeadsOf } from './read-heads.ts'
import { spaceRepository } from './space-repository.ts'
import { keepView, viewRevision } from './view-revision.ts'
import { pathsOf, type WrittenRevision, writeRevision } from './write-revision.ts'

/** What a batch came to. */
export type Edited = {
  revision: Oid
  /** The change request as it is then; undefined for primary content. */
  changeRequest: ChangeRequestRow | undefined
  /** Whether the primary content has something that its branch lacks. */
  outdated: boolean
  outcomes: readonly Outcome[]
  insertedFiles: readonly FileNode[]
  /** The revision that the batch was applied to. */
  base: RevisionView
}

export type EditOrder<Body> = {
  space: SpaceRow
  /** The change request whose branch is edited; undefined: the primary content. */
  changeRequest?: ChangeRequestRow | undefined
  by: UserRow
  changes: readonly Change[]
  /** The revisions of which one must be the head. */
  ifMatch?: readonly string[] | '*' | undefined
  idempotency?: Idempotency | undefined
  /** What the caller gets. It is called with the space's lock held, before anything has moved. */
  present: (edited: Edited) => Promise<Body>
}

/**
 * Applies a batch of changes to the primary content or a change request as exactly one commit; a batch that changes
 * nothing makes none. Throws the Fault of the first change that cannot be made, and nothing is written then; 'unmet'
 * when another revision is the head, 'conflict' for a change request that is archived or merged.
 */
export async function editContent<Body>(ctx: Context, order: EditOrder<Body>): Promise<Body> {
  const { changeRequest, changes } = order
  const reverts = changes.some(change => change.operation === 'revert_page' && change.revision === undefined)
  const origin = changeRequest && reverts ? await findMergeBase(ctx, changeRequest) : undefined
  return againIfMoved(() => ctx.locks.run(order.space.id, () => edit(ctx, order, origin ?? undefined)))
}

async function edit<Body>(ctx: Context, order: EditOrder<Body>, origin: Oid | undefined): Promise<Body> {
  const { space, changes, by } = order
  const repo = spaceRepository(ctx, space.id)
  const { primary, branch, changeRequest } = await headsOf(ctx, order)
  checkMatch(order, branch.head)
  checkMay(ctx, order, branch.head)
  const view = await viewRevision(ctx, space.id, branch.head)
  const edits = applyChanges(
    await readSource(ctx, repo, { spaceId: space.id, view, changes, origin }),
    changes,
  )
  const lacking = branch === primary ? undefined : await findOutdated(ctx, space.id, primary.head, [branch])
  const found = { ...edits, base: view, outdated: lacking?.has(branch.head) ?? false }
  const at = ctx.now()
  const written = await writeRevision(repo, { space, changeRequest, by, at, view, changes, edits })
  if (!written) return order.present({ ...found, revision: branch.head, changeRequest })
  const { commit } = written
  const notes = await noteIdentities(repo, [{ commit, identity: edits.identity }], service(at))
  const time = at.toISOString()
  const row = changeRequest && { ...changeRequest, revision: commit as string, updated_at: time }
  const body = await order.present({ ...found, revision: commit, changeRequest: row })
  await commitOperation(ctx, repo, {
    spaceId: space.id,
    kind: 'edit-content',
    userId: by.id,
    plan: () => {
      checkMay(ctx, order, branch.head)
      return {
        moves: [...notes, { ref: branch.ref, from: branch.head, to: commit }],
        effects: effectsOf(order, branch.head, written, edits, time),
        result: undefined,
        answer: order.idempotency && { to: order.idempotency, status: 200, body },
      }
    },
  })
  noteRevision(space.id, commit)
  if (changeRequest) noteChild(commit, branch.head, primary.head)
  if (edits.tree) keepView(ctx, space.id, viewOf(view, written, edits, edits.tree))
  return body
}

async function headsOf<Body>(
  ctx: Context,
  { space, changeRequest }: EditOrder<Body>,
): Promise<{ primary: Head; branch: Head; changeRequest: ChangeRequestRow | undefined }> {
  if (changeRequest) return readHeadsOf(ctx, space, changeRequest)
  const { primary } = await readHeads(ctx, space)
  return { primary, branch: primary, changeRequest: undefined }
}

function checkMatch<Body>({ ifMatch }: EditOrder<Body>, head: Oid): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(head)) return
  throw new Fault(
    'unmet',
    'The content has changed: read it again, or leave "If-Match" out and say "baseRevision" in each change.',
    { revision: head },
  )
}

/** Throws unless the rows as they are now let this person edit this revision. */
function checkMay<Body>(ctx: Context, { space, changeRequest, by }: EditOrder<Body>, head: Oid): void {
  checkRole(ctx, space.id, by.id, 'edit')
  if (!changeRequest) {
    if (findSpace(ctx.store, space.id)?.edit_mode === 'locked')
      throw forbidden('The space is locked: change it with a change request.')
    return
  }
  const row = findChangeRequest(ctx.store, space.id, changeRequest.id)
  if (!row) throw missing('change request', changeRequest.id)
  if (row.status === 'merged')
    throw new Fault('conflict', 'The change request is merged: it cannot be edited any more.')
  if (row.status === 'archived')
    throw new Fault('conflict', 'The change request is archived: open it again before you edit it.')
  if (row.revision !== head)
    throw new Fault('conflict', 'The change request has changed meanwhile. Look at it and try again.')
}

function effectsOf<Body>(
  { space, changeRequest, by }: EditOrder<Body>,
  before: Oid,
  written: WrittenRevision,
  edits: Edits,
  time: string,
): Effect[] {
  if (changeRequest)
    return [
      {
        do: 'update-change-request',
        id: changeRequest.id,
        set: { revision: written.commit, updated_at: time },
      },
      { do: 'count-contribution', changeRequestId: changeRequest.id, userId: by.id, at: time },
    ]
  const row = {
    space_id: space.id,
    oid: written.commit,
    tree: written.tree,
    parents: JSON.stringify([before]),
    author_name: written.author.name,
    author_email: written.author.email,
    message: written.message,
    committed_at: written.committer.at,
  }
  return [
    { do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } },
    { do: 'append-revision', after: before, row, paths: pathsOf(edits) },
  ]
}

const viewOf = (
  base: RevisionView,
  { commit, tree, author, committer, message }: WrittenRevision,
  edits: Edits,
  content: RevisionView['content'],
): RevisionView => ({
  oid: commit,
  treeOid: tree,
  parents: [base.oid],
  message,
  author: { name: author.name, email: author.email },
  committer: { name: committer.name, email: committer.email },
  committedAt: committer.at,
  content,
  identity: edits.identity,
  notices: base.notices,
  answers: new Map(),
})
