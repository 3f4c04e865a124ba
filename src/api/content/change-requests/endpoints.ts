import { changeRequest } from '../../../access/guards/change-request.ts'
import { space } from '../../../access/guards/space.ts'
import { createChangeRequest as create } from '../../../actions/change-requests/create-change-request.ts'
import { editChangeRequest } from '../../../actions/change-requests/edit-change-request.ts'
import { mergeChangeRequest as merge } from '../../../actions/change-requests/merge-change-request.ts'
import { findConflicts } from '../../../actions/change-requests/mergeability.ts'
import { updateFromPrimary } from '../../../actions/change-requests/update-change-request.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { readTemplate } from '../../../actions/spaces/read-templates.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { listing, listOf, wholeList } from '../../../http/list.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { listContributors } from '../../../store/discussions/change-requests.ts'
import { listCommenters } from '../../../store/discussions/comments.ts'
import {
  type ChangeRequestPlace,
  changePlace,
  listChangeRequests,
} from '../../../store/discussions/list-change-requests.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import { ChangeRequestPath, SpacePath } from '../../base/paths-schema.ts'
import {
  filterOf,
  listDescription,
  loadChangeRequest,
  loadChangeRequests,
  loadForMerge,
} from './load.ts'
import { presentChangeRequest, presentContributor } from './present.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import {
  ChangeRequest,
  ChangeRequestEdit,
  ChangeRequestQuery,
  Conflict,
  ConflictQuery,
  Contributor,
  MergeBody,
  MergeOutcome,
  NewChangeRequest,
  UpdateBody,
  UpdateOutcome,
} from './schema.ts'

export const listChangeRequestsForSpace = listing({
  operationId: 'listChangeRequestsForSpace',
  summary: 'List the change requests of a space, newest first',
  description: listDescription,
  params: SpacePath,
  query: selecting(ChangeRequestQuery, listOf(ChangeRequest)),
  item: ChangeRequest,
  access: space('read'),
  list: ({ ctx, space, user, query: asked }) => {
    const { orderBy: order, fields: _, ...query } = asked
    const filter = filterOf(query)
    return {
      name: `change-requests ${space.id} ${order} ${JSON.stringify(filter)}`,
      rows: (limit, after?: ChangeRequestPlace) =>
        listChangeRequests(ctx.store, space.id, filter, limit, { order, after }),
      key: row => (order === 'updatedAt' ? changePlace(row) : row.number),
      show: rows => loadChangeRequests(ctx, rows, user.id),
    }
  },
})

export const createChangeRequest = endpoint({
  operationId: 'createChangeRequest',
  summary: 'Create a change request at the head of the primary content',
  description:
    'Creates a branch at the head of the primary content. Edit it with `POST …/content` or push to it, and merge it with `POST …/merge`. With `subject`, the change request is open; without, it is a draft. The files of a `template` become its first commit, as in `POST /spaces/{spaceId}/content/template`; if this fails, no change request is created. Unknown properties are ignored. Requires the role "edit" in the space.',
  params: SpacePath,
  body: NewChangeRequest,
  bodyOptional: true,
  reply: ChangeRequest,
  status: 201,
  access: space('edit'),
  handle: async ({ ctx, space, user, body, request }) => {
    const { id: templateId, params } = body.template ?? {}
    const template = templateId === undefined ? undefined : await readTemplate(ctx, templateId)
    const row = await create(ctx, {
      space,
      by: user,
      subject: body.subject ?? '',
      description: body.description ?? null,
      changes: template && [
        { operation: 'apply_template', template, refs: params?.contentRefs ?? {} },
      ],
      origin: request.origin,
      idempotency: request.idempotency && {
        to: request.idempotency,
        status: 201,
        body: row => presentChangeRequest(ctx, row, { createdBy: user, outdated: false }),
      },
    })

    return presentChangeRequest(ctx, row, { createdBy: user, outdated: false })
  },
})

export const getChangeRequestById = endpoint({
  operationId: 'getChangeRequestById',
  summary: 'Get a change request',
  description:
    'Returns the change request. If it is not merged or archived, the answer also says whether it can be merged now (`mergeable`), and why not (`conflicts`, `unmetRules`). `GET …/changes` returns its changes, and `GET …/content` its pages.',
  params: ChangeRequestPath,
  reply: ChangeRequest,
  access: changeRequest('read'),
  handle: ({ ctx, space, user, role, changeRequest }) =>
    loadForMerge(ctx, { space, row: changeRequest, by: user, role }),
})

export const listChangeRequestConflicts = endpoint({
  operationId: 'listChangeRequestConflicts',
  summary: 'List the conflicts of a change request with the primary content',
  description:
    'Returns the conflicts that a merge or an update would have now, with the texts of both sides. Resolve them with `POST …/update`, or merge with Git and push.',
  params: ChangeRequestPath,
  reply: listOf(Conflict),
  access: changeRequest('read'),
  handle: async ({ ctx, changeRequest }) => {
    const row = await currentChangeRequest(ctx, changeRequest)
    return wholeList(row.status === 'merged' ? [] : await findConflicts(ctx, row))
  },
})

export const updateChangeRequestById = endpoint({
  operationId: 'updateChangeRequestById',
  summary: 'Update the subject, description or status of a change request',
  description:
    'Properties that are left out stay unchanged. A merged change request keeps its status; an archived one can be reopened. Requires the role "edit" in the space.',
  params: ChangeRequestPath,
  body: ChangeRequestEdit,
  reply: ChangeRequest,
  access: changeRequest('edit'),
  handle: async ({ ctx, changeRequest, user, body, request }) => {
    const edit = {
      ...(body.subject !== undefined && { subject: body.subject }),
      ...(body.description !== undefined && { description: body.description }),
      ...(body.status !== undefined && { status: body.status }),
    }
    const row = await editChangeRequest(ctx, changeRequest, user, edit, request.origin)
    return loadChangeRequest(ctx, row, user.id)
  },
})

export const mergeChangeRequest = endpoint({
  operationId: 'mergeChangeRequest',
  summary: 'Merge a change request into the primary content',
  description:
    'Merges the branch with a merge commit, whose message names the users who approved the merged content. `result` is `merge`, or `conflicts` if both sides changed the same lines: then nothing is changed, and the answer lists the conflicts. Resolve them with `POST …/update`, and merge again. Unmet merge rules are a 412 that lists them; an admin of the space can merge nevertheless with `bypassRules`, which the audit log records. Requires the role "edit" in the space, or "review" if the space is locked.',
  params: ChangeRequestPath,
  query: ConflictQuery,
  body: MergeBody,
  bodyOptional: true,
  reply: MergeOutcome,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, changeRequest, user, query, body, request }) => {
    const outcome = await merge(ctx, {
      space,
      changeRequest,
      by: user,
      bypassRules: body?.bypassRules,
      origin: request.origin,
      idempotency: request.idempotency,
    })
    return refuseConflicts(outcome, query)
  },
})

export const updateChangeRequest = endpoint({
  operationId: 'updateChangeRequest',
  summary: 'Update a change request with the primary content',
  description:
    'Merges the primary content into the branch of the change request. With conflicts, nothing is changed, and the answer lists them. Send `resolutions` for all of them, or push a merge with Git. Requires the role "edit" in the space.',
  params: ChangeRequestPath,
  query: ConflictQuery,
  body: UpdateBody,
  bodyOptional: true,
  bodyLimit: 20_000_000,
  reply: UpdateOutcome,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, changeRequest, user, query, body, request }) => {
    const outcome = await updateFromPrimary(ctx, {
      space,
      changeRequest,
      by: user,
      resolutions: body.resolutions,
      idempotency: request.idempotency,
      origin: request.origin,
    })
    return refuseConflicts(outcome, query)
  },
})

export const getContributorsByChangeRequestId = endpoint({
  operationId: 'getContributorsByChangeRequestId',
  summary: 'List the contributors of a change request, most recent first',
  description:
    'Returns users who committed to the change request (`edit`), and users who commented or replied (`comment`).',
  params: ChangeRequestPath,
  reply: listOf(Contributor),
  access: changeRequest('read'),
  handle: ({ ctx, user, changeRequest }) => {
    const edits = listContributors(ctx.store, changeRequest.id)
    const comments = listCommenters(ctx.store, changeRequest.id)
    const rows = [
      ...edits.map(row => ({ ...row, actionType: 'edit' as const })),
      ...comments.map(row => ({ ...row, actionType: 'comment' as const })),
    ].sort((one, other) => compare(other.updated_at, one.updated_at))

    const users = findShownUsers(
      ctx.store,
      user.id,
      rows.map(row => row.user_id),
    )
    const base = ctx.publicUrl()

    return wholeList(rows.map(row => presentContributor(row, mustGet(users, row.user_id), base)))
  },
})

/** Compares two strings by code units. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
