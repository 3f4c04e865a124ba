import { isDeepStrictEqual } from 'node:util'
import type { Origin } from '../../access/asker.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findChangeRequest, updateChangeRequest } from '../../store/discussions/change-requests.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow, UserRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { changedFields } from '../events/changed-fields.ts'
import { recordEvent } from '../events/record-event.ts'
import { lockSpace } from '../heads/open-space.ts'
import { settleLeftovers } from '../journal/settle-intent.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

type ChangeRequestEdit = Partial<Pick<ChangeRequestRow, 'subject' | 'description' | 'status'>>

/**
 * Changes the subject, description or status of a change request. Throws 'conflict' for the status
 * of a merged one, 'unavailable' while its space is read-only.
 */
export const editChangeRequest = (
  ctx: Context,
  row: ChangeRequestRow,
  by: UserRow,
  edit: ChangeRequestEdit,
  origin: Origin | null = null,
): Promise<ChangeRequestRow> =>
  // Under the lock, so that a merge under way is finished first.
  lockSpace(ctx, row.space_id, async () => {
    const repo = spaceRepository(ctx, row.space_id)
    await settleLeftovers(ctx, repo, row.space_id)
    const edited = ctx.store.transact(() => {
      checkRole(ctx, row.space_id, by.id, 'edit')
      const current = findChangeRequest(ctx.store, row.space_id, row.id)
      if (!current) throw missing('change request', row.id)

      if (edit.status !== undefined && current.status === 'merged')
        throw new Fault(
          'already_merged',
          'The change request is merged. Its status can no longer change.',
        )

      return applyEdit(ctx, current, edit, { userId: by.id, origin })
    })
    if (edit.status !== undefined) await guardAfterEdit(ctx, repo, row.space_id)

    return edited
  })

/**
 * A failure is only logged: the edit is done, and the next start writes the list of archived change
 * requests again.
 */
async function guardAfterEdit(ctx: Context, repo: Repository, spaceId: string): Promise<void> {
  try {
    await guardPushes(ctx, repo, spaceId)
  } catch (error) {
    ctx.log.warn(
      { space: spaceId, err: String(error) },
      'could not update the push hook of a repository',
    )
  }
}

/** Applies an edit in the caller's transaction and records what changed. Returns the new row. */
export function applyEdit(
  ctx: Context,
  current: ChangeRequestRow,
  edit: ChangeRequestEdit,
  by: EventActor,
): ChangeRequestRow {
  const set = Object.fromEntries(
    Object.entries(edit).filter(
      ([name, value]) => !isDeepStrictEqual(current[name as keyof ChangeRequestEdit], value),
    ),
  )
  if (Object.keys(set).length === 0) return current
  const at = ctx.now().toISOString()
  const changed = updateChangeRequest(ctx.store, current.id, { ...set, updated_at: at }) ?? current

  record(ctx, current, changed, by, at)

  return changed
}

const statusActions = {
  open: 'change_request.opened',
  archived: 'change_request.archived',
  draft: 'change_request.updated',
} as const

/** Records the changed text and the changed status, as separate events. */
function record(
  ctx: Context,
  before: ChangeRequestRow,
  after: ChangeRequestRow,
  by: EventActor,
  at: string,
): void {
  const { id, space_id: spaceId, status, number } = after
  const organizationId = findSpace(ctx.store, spaceId)!.organization_id
  const event = { organizationId, ...by, target: { kind: 'change-request', id }, spaceId, at }
  const texts = changedFields(
    { subject: before.subject, description: before.description ?? '' },
    { subject: after.subject, description: after.description ?? '' },
  )

  if (texts)
    recordEvent(ctx.store, {
      ...event,
      action: 'change_request.updated',
      details: { number, ...texts },
    })

  if (before.status === status || status === 'merged') return

  const details = { number, status: { from: before.status, to: status } }

  recordEvent(ctx.store, { ...event, action: statusActions[status], details })
}
