import type { Edits } from '../../content/edit/apply.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import type { EditOrder } from './edit-content.ts'
import { pathsOf, type WrittenRevision } from './write-revision.ts'

/** An edit that was written: a commit on top of `base`, in the repository and on no branch yet. */
export type MadeEdit = {
  order: EditOrder<unknown>
  base: RevisionView
  edits: Edits
  /** When it was made, as rows say it. */
  time: string
  written: WrittenRevision
}

/** What an edit changes in rows once its branch has moved, the answer to keep for its key included. */
export function effectsOfEdit({ order, base, edits, time, written }: MadeEdit, body: unknown): Effect[] {
  const { space, changeRequest, by, idempotency, status = 200, origin = null } = order
  const moved = {
    space,
    changeRequestId: changeRequest?.id,
    revision: written.commit,
    from: base.oid,
    at: time,
  }
  const event = contentMoved(moved, { userId: by.id, origin })
  const noted: Effect = {
    do: 'note-service-commit',
    row: { space_id: space.id, oid: written.commit, kind: 'edit' },
  }
  const answer: Effect[] = idempotency
    ? [
        {
          do: 'keep-answer',
          to: idempotency,
          status,
          ...(body !== undefined && { body: JSON.stringify(body) }),
          at: time,
        },
      ]
    : []
  if (changeRequest)
    return [
      {
        do: 'update-change-request',
        id: changeRequest.id,
        set: { revision: written.commit, updated_at: time },
      },
      { do: 'count-contribution', changeRequestId: changeRequest.id, userId: by.id, at: time },
      noted,
      event,
      ...answer,
    ]
  const row = {
    space_id: space.id,
    oid: written.commit,
    tree: written.tree,
    parents: JSON.stringify([base.oid]),
    author_name: written.author.name,
    author_email: written.author.email,
    message: written.message,
    committed_at: written.committer.at,
  }
  return [
    { do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } },
    { do: 'append-revision', after: base.oid, row, paths: pathsOf(edits) },
    noted,
    event,
    ...answer,
  ]
}

/** The revision that an edit made, as a reader finds it; undefined when that takes more than the edit knew. */
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
    answers: new Map(),
  }
}
