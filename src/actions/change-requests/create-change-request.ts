import type { Idempotency, Origin } from '../../access/asker.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { Context } from '../../context.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { takeChangeRequestNumber } from '../../store/discussions/change-requests.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { writeFirstEdit } from '../edit/write-first-edit.ts'
import { lockSpace } from '../heads/open-space.ts'
import { readHeads } from '../heads/read-heads.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { rememberChild } from '../revisions/find-outdated.ts'
import { rememberRevision } from '../revisions/is-revision.ts'
import { checkOpening } from './check-opening.ts'

/** Where the first commit of a new change request goes. `head` is that of the primary content. */
export type FirstPlace = { number: number; at: Date; head: Oid }

/**
 * Writes the first commit of a change request into a quarantine; undefined where there is nothing
 * to commit. `note` writes the ids of its pages, once the quarantine is flushed; the moves it
 * returns belong to that of the branch.
 */
type WriteFirst = (
  quarantine: Quarantine,
  place: FirstPlace,
) => Promise<{ commit: Oid; note: () => Promise<RefMove[]> } | undefined>

type NewChangeRequest = {
  space: SpaceRow
  by: UserRow
  /** '' for a draft. */
  subject: string
  /** A document. */
  description: object | null
  /** The changes of its first commit; without a commit the branch starts at the primary head. */
  changes?: readonly Change[] | undefined
  /** Writes that commit where it is not one of changes. */
  first?: WriteFirst | undefined
  /** The first line of the message of that commit; undefined: what the changes do. */
  message?: string | undefined
  origin?: Origin | null | undefined
  /** Keeps the answer for the request's Idempotency-Key. */
  idempotency?:
    | { to: Idempotency; status: number; body: (row: ChangeRequestRow) => unknown }
    | undefined
}

/**
 * Creates a change request: a branch at the primary head, or one commit ahead, and its row. Throws
 * the Fault of the first change that cannot be made, what `first` throws, and 'too_many' above the
 * daily limit; no change request exists then.
 */
export const createChangeRequest = (
  ctx: Context,
  order: NewChangeRequest,
): Promise<ChangeRequestRow> =>
  againIfMoved(() => lockSpace(ctx, order.space.id, () => create(ctx, order)))

async function create(ctx: Context, order: NewChangeRequest): Promise<ChangeRequestRow> {
  const { space, by, changes, message, idempotency } = order
  checkOpening(ctx, by.id)
  const { primary } = await readHeads(ctx, space)
  const time = ctx.now()
  const at = time.toISOString()

  // Numbers are only taken under the space's lock, so this one stays free.
  const number = (findSpace(ctx.store, space.id)?.last_change_request ?? 0) + 1
  const repo = spaceRepository(ctx, space.id)
  const quarantine = openQuarantine(repo)
  const place = { number, at: time, head: primary.head }
  const first = changes
    ? await writeFirstEdit(ctx, quarantine, { space, by, changes, message, ...place })
    : await order.first?.(quarantine, place)
  const head = first?.commit ?? primary.head
  const writer = { space, by, ...(first && { quarantine }) }
  const clearance = await clearContent(ctx, repo, writer, { head, beside: [primary.head] })
  if (first) await quarantine.flush()
  const notes = first ? await first.note() : []

  const made = await publish(ctx, repo, {
    key: space.id,
    kind: 'create-change-request',
    userId: by.id,
    clearance,
    takesNumber: true,
    plan: () => {
      checkRole(ctx, space.id, by.id, 'edit')
      checkOpening(ctx, by.id)
      const row = newRow(order, takeChangeRequestNumber(ctx.store, space.id), {
        at,
        from: primary.head,
        head,
      })
      const { seq: _seq, open_comments: _none, ...inserted } = row

      return {
        moves: [...notes, { ref: changeRequestRef(row.number), from: null, to: head }],
        effects: [{ do: 'insert-change-request', row: inserted }, ...effectsOf(order, row)],
        result: row,
        answer: idempotency && { ...idempotency, body: idempotency.body(row) },
      }
    },
  })

  if (first) {
    rememberRevision(ctx, space.id, head)
    rememberChild(ctx, head, primary.head, primary.head)
  }

  return made
}

/** Returns the row of a new change request. */
export const newRow = (
  {
    space,
    by,
    subject,
    description,
  }: Pick<NewChangeRequest, 'space' | 'by' | 'subject' | 'description'>,
  number: number,
  { at, from, head }: { at: string; from: Oid; head: Oid },
): ChangeRequestRow => ({
  seq: 0,
  id: randomId(),
  space_id: space.id,
  number,
  status: subject.trim() === '' ? 'draft' : 'open',
  subject,
  description,
  created_by: by.id,
  created_at: at,
  updated_at: at,
  revision: head,
  revision_initial: from,
  revision_merged_ancestor: null,
  revision_merged: null,
  merged_by: null,
  merged_at: null,
  conversations_issues_cluster: null,
  branch: null,
  open_comments: 0,
})

/** Returns the effects besides its row: the event, and the records of its first commit. */
function effectsOf(
  { space, by, origin = null }: NewChangeRequest,
  row: ChangeRequestRow,
): Effect[] {
  const { id, number, revision, revision_initial: from, created_at: at } = row
  const opened: Effect = {
    do: 'record-event',
    event: {
      action: row.status === 'draft' ? 'change_request.drafted' : 'change_request.opened',
      organizationId: space.organization_id,
      userId: by.id,
      origin,
      target: { kind: 'change-request', id },
      spaceId: space.id,
      details: { number, revision },
      at,
    },
  }
  if (revision === from) return [opened]

  const moved = { space, changeRequestId: id, revision, from, at }

  return [
    opened,
    { do: 'note-service-commit', row: { space_id: space.id, oid: revision, kind: 'edit' } },
    { do: 'count-contribution', changeRequestId: id, userId: by.id, at },
    contentMoved(moved, { userId: by.id, origin }),
  ]
}
