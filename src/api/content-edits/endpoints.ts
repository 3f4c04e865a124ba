import { changeRequest } from '../../access/guards/change-request.ts'
import { primaryWriter } from '../../access/guards/primary.ts'
import { editContent } from '../../actions/edit/edit-content.ts'
import { matchList } from '../../http/conditional.ts'
import { endpoint } from '../../http/endpoint.ts'
import { ChangeRequestPath, SpacePath } from '../change-requests/schema.ts'
import { readChanges } from './changes.ts'
import { presentChangeRequestEdited, presentPrimaryEdited } from './present.ts'
import {
  ChangeRequestEdited,
  ContentEdit,
  ContentEditQuery,
  PrimaryEdited,
  PrimaryEditQuery,
} from './schema.ts'

/** Twenty files of 1 MB in base64, and room for pages. */
const bodyLimit = 30_000_000

const description =
  'Changes are applied in order, all of them or none, as one commit; changes that change nothing make none. ' +
  'When a page or file gets another path, links to it in all other Markdown files and in the table of contents follow, each in its own spelling, and so do redirects; `rewriteLinks: false` leaves them. When one is deleted they stay as they are, unless `rewriteLinks: true` or `replaceWith` says otherwise. ' +
  '`If-Match` with a revision refuses to edit another one (412).'

export const updateChangeRequestContent = endpoint({
  operationId: 'updateChangeRequestContent',
  summary: 'Change pages, files and variables of a change request',
  description,
  params: ChangeRequestPath,
  query: ContentEditQuery,
  body: ContentEdit,
  bodyLimit,
  ifMatch: true,
  reply: ChangeRequestEdited,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, changeRequest, user, query, body, request }) =>
    editContent(ctx, {
      space,
      changeRequest,
      by: user,
      changes: await readChanges(ctx, body.changes, user.id),
      ifMatch: matchList(request.header('if-match')),
      idempotency: request.idempotency,
      origin: request.origin,
      present: edited => presentChangeRequestEdited(ctx, { space, user }, edited, query.compat !== false),
    }),
})

export const updateContent = endpoint({
  operationId: 'updateContent',
  summary: 'Change pages, files and variables of the primary content',
  description,
  params: SpacePath,
  query: PrimaryEditQuery,
  body: ContentEdit,
  bodyLimit,
  ifMatch: true,
  reply: PrimaryEdited,
  access: primaryWriter('edit'),
  handle: async ({ ctx, space, user, body, request }) =>
    editContent(ctx, {
      space,
      by: user,
      changes: await readChanges(ctx, body.changes, user.id),
      ifMatch: matchList(request.header('if-match')),
      idempotency: request.idempotency,
      origin: request.origin,
      present: edited => presentPrimaryEdited(ctx, { space, user }, edited),
    }),
})
