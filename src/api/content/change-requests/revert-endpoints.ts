import { changeRequest } from '../../../access/guards/change-request.ts'
import { space } from '../../../access/guards/space.ts'
import { revertContent as restore, revertMerge } from '../../../actions/change-requests/revert.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { asOid } from '../../../lib/oid.ts'
import type { ChangeRequestRow, UserRow } from '../../../store/tables/rows.ts'
import { ChangeRequestPath, SpacePath } from '../../base/paths-schema.ts'
import { presentChangeRequest } from './present.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import { ConflictQuery, ContentRevertBody, RevertBody, RevertOutcome } from './schema.ts'

export const revertChangeRequest = endpoint({
  operationId: 'revertChangeRequest',
  summary: 'Revert the merge of a change request, as a new change request',
  description:
    'Creates a change request that undoes the changes of the merge and keeps later changes. Pages that it restores keep their ids and comments. With conflicts, no change request is created, and the answer lists them: send `resolutions` for all of them. Requires the role "edit" in the space.',
  params: ChangeRequestPath,
  query: ConflictQuery,
  body: RevertBody,
  bodyOptional: true,
  bodyLimit: 20_000_000,
  reply: RevertOutcome,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, changeRequest, user, query, body, request }) => {
    const outcome = await revertMerge(ctx, {
      ...body,
      space,
      changeRequest,
      by: user,
      origin: request.origin,
      idempotency: answerTo(ctx, user, request.idempotency),
    })
    if ('changeRequest' in outcome) return presentReverted(ctx, user, outcome.changeRequest)
    return refuseConflicts(
      { ...outcome, result: 'conflicts' as const },
      query,
      'Send a resolution of each conflict, or revert the merge with git and push.',
    )
  },
})

export const revertContent = endpoint({
  operationId: 'revertContent',
  summary: 'Revert the primary content to a revision, as a new change request',
  description:
    'Creates a change request with the content of the revision. Pages that it restores keep their ids and comments. Requires the role "edit" in the space.',
  params: SpacePath,
  body: ContentRevertBody,
  reply: RevertOutcome,
  access: space('edit'),
  handle: async ({ ctx, space, user, body, request }) => {
    const row = await restore(ctx, {
      ...body,
      revision: asOid(body.revision),
      space,
      by: user,
      origin: request.origin,
      idempotency: answerTo(ctx, user, request.idempotency),
    })
    return presentReverted(ctx, user, row)
  },
})

function presentReverted(ctx: Context, user: UserRow, row: ChangeRequestRow) {
  const shown = presentChangeRequest(ctx, row, { createdBy: user, outdated: false })
  return { revision: row.revision, result: 'revert' as const, changeRequest: shown }
}

/** Returns the answer that is kept for the Idempotency-Key of a request. */
const answerTo = <To>(ctx: Context, user: UserRow, to: To | undefined) =>
  to && { to, status: 200, body: (row: ChangeRequestRow) => presentReverted(ctx, user, row) }
