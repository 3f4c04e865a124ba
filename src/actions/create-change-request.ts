import type { Idempotency, Origin } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { randomId } from '../lib/digest.ts'
import { takeChangeRequestNumber } from '../store/change-requests.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../store/rows.ts'
import { againIfMoved } from './again-if-moved.ts'
import { checkRole } from './check-role.ts'
import { commitOperation } from './commit-operation.ts'
import { readHeads } from './read-heads.ts'
import { changeRequestRef } from './ref-names.ts'
import { spaceRepository } from './space-repository.ts'

export type NewChangeRequest = {
  space: SpaceRow
  by: UserRow
  /** '' for none: it is a draft then. */
  subject: string
  /** A document as JSON. */
  description: string | null
  origin?: Origin | null | undefined
  /** Keeps the answer that is made of the row for the request's Idempotency-Key. */
  idempotency?: { to: Idempotency; status: number; body: (row: ChangeRequestRow) => unknown } | undefined
}

/** Makes a change request: a branch at the head of the primary content, and its row. */
export const createChangeRequest = (ctx: Context, order: NewChangeRequest): Promise<ChangeRequestRow> =>
  againIfMoved(() => ctx.locks.run(order.space.id, () => create(ctx, order)))

async function create(
  ctx: Context,
  { space, by, subject, description, idempotency, origin = null }: NewChangeRequest,
): Promise<ChangeRequestRow> {
  const { primary } = await readHeads(ctx, space)
  const at = ctx.now().toISOString()
  return commitOperation(ctx, spaceRepository(ctx, space.id), {
    spaceId: space.id,
    kind: 'create-change-request',
    userId: by.id,
    plan: () => {
      checkRole(ctx, space.id, by.id, 'edit')
      const row: ChangeRequestRow = {
        seq: 0,
        id: randomId(),
        space_id: space.id,
        number: takeChangeRequestNumber(ctx.store, space.id),
        status: subject.trim() === '' ? 'draft' : 'open',
        subject,
        description,
        created_by: by.id,
        created_at: at,
        updated_at: at,
        revision: primary.head,
        revision_initial: primary.head,
        revision_merged_ancestor: null,
        revision_merged: null,
        merged_by: null,
        merged_at: null,
        conversations_issues_cluster: null,
        open_comments: 0,
      }
      const { seq: _seq, open_comments: _none, ...inserted } = row
      return {
        moves: [{ ref: changeRequestRef(row.number), from: null, to: primary.head }],
        effects: [
          { do: 'insert-change-request', row: inserted },
          {
            do: 'record-event',
            event: {
              action: row.status === 'draft' ? 'change_request.drafted' : 'change_request.opened',
              organizationId: space.organization_id,
              userId: by.id,
              origin,
              target: { kind: 'change-request', id: row.id },
              spaceId: space.id,
              details: { number: row.number, revision: row.revision },
              at,
            },
          },
        ],
        result: row,
        answer: idempotency && { ...idempotency, body: idempotency.body(row) },
      }
    },
  })
}
