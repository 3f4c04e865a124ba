import type { Edits } from '../../content/edit/apply.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import type { EditOrder } from './edit-order.ts'
import { pathsOf, type WrittenRevision } from './write-revision.ts'

/** An edit whose commit, on top of `base`, is in the repository and on no branch yet. */
export type MadeEdit = {
  order: EditOrder<unknown>
  base: RevisionView
  edits: Edits
  /** ISO 8601. */
  time: string
  written: WrittenRevision
}

/**
 * Returns the row changes that follow once the branch has moved to an edit, including the answer to
 * keep for its key.
 */
export function effectsOfEdit(
  { order, base, edits, time, written }: MadeEdit,
  body: unknown,
): Effect[] {
  const { space, changeRequest, by, idempotency, job, status = 200, origin = null } = order
  const moved = {
    space,
    changeRequestId: changeRequest?.id,
    revision: written.commit,
    from: base.oid,
    at: time,
  }
  const event = contentMoved(moved, { userId: by.id, origin })
  const serviceCommit: Effect = {
    do: 'note-service-commit',
    row: { space_id: space.id, oid: written.commit, kind: 'edit' },
  }

  const answer: Effect[] = job?.effects(body) ?? []
  if (idempotency)
    answer.push({
      do: 'keep-answer',
      to: idempotency,
      status,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      at: time,
    })

  if (changeRequest)
    return [
      {
        do: 'update-change-request',
        id: changeRequest.id,
        set: { revision: written.commit, updated_at: time },
      },
      { do: 'count-contribution', changeRequestId: changeRequest.id, userId: by.id, at: time },
      serviceCommit,
      event,
      ...answer,
    ]

  const row = {
    space_id: space.id,
    oid: written.commit,
    tree: written.tree,
    parents: [base.oid],
    author_name: written.author.name,
    author_email: written.author.email,
    message: written.message,
    committed_at: written.committer.at,
  }

  return [
    { do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } },
    { do: 'append-revision', after: base.oid, row, paths: pathsOf(edits) },
    serviceCommit,
    event,
    ...answer,
  ]
}

/**
 * Returns the view of the revision that an edit made; undefined if the edit did not compute its
 * page tree.
 */
export function viewOfEdit({ base, edits, written }: MadeEdit): RevisionView | undefined {
  const { commit, tree, author, committer, message } = written
  if (!edits.tree) return undefined
  return {
    oid: commit,
    treeOid: tree,
    parents: [base.oid],
    message,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    committedAt: committer.at,
    content: edits.tree,
    identity: edits.identity,
    notices: base.notices,
  }
}
