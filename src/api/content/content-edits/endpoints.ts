import type { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { primaryWriter } from '../../../access/guards/primary.ts'
import { editContent } from '../../../actions/edit/edit-content.ts'
import { useUploads } from '../../../actions/uploads/use-uploads.ts'
import type { Change } from '../../../content/edit/changes.ts'
import type { Context } from '../../../context.ts'
import { matchList } from '../../../http/conditional.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { SpaceRow, UserRow } from '../../../store/tables/rows.ts'
import { ChangeRequestPath, SpacePath } from '../../base/paths-schema.ts'

import { readChanges, uploadsIn } from './changes.ts'
import { ChangeRequestEdited, PrimaryEdited } from './outcome-schema.ts'
import { ContentEdit, ContentEditQuery, PrimaryEditQuery } from './schema.ts'
import { presentChangeRequestEdited, presentPrimaryEdited } from './show-edited.ts'

/** Room for twenty files of 1 MB in base64, and for pages. */
const bodyLimit = 30_000_000

const description =
  'Applies a list of changes in order, as one commit: all of them, or none. If the changes have no effect, no commit is made. ' +
  'A change that moves or renames a page or file also updates the links to it in other Markdown files, in the table of contents and in redirects; `rewriteLinks: false` leaves these links unchanged. A deletion leaves links unchanged, unless it has `rewriteLinks: true` or `replaceWith`. ' +
  '`If-Match` with a revision fails with 412 when the content is at another revision.'

export const updateChangeRequestContent = endpoint({
  operationId: 'updateChangeRequestContent',
  summary: 'Edit pages, files and variables of a change request',
  description,
  params: ChangeRequestPath,
  query: ContentEditQuery,
  body: ContentEdit,
  bodyLimit,
  ifMatch: true,
  reply: ChangeRequestEdited,
  access: changeRequest('edit'),
  handle: async ({ ctx, space, changeRequest, user, query, body, request }) =>
    withChanges(ctx, { space, user, body }, changes =>
      editContent(ctx, {
        space,
        changeRequest,
        by: user,
        changes,
        ifMatch: matchList(request.header('if-match')),
        idempotency: request.idempotency,
        origin: request.origin,
        present: edited =>
          presentChangeRequestEdited(ctx, { space, user }, edited, query.compat !== false),
      }),
    ),
})

export const updateContent = endpoint({
  operationId: 'updateContent',
  summary: 'Edit pages, files and variables of the primary content',
  description,
  params: SpacePath,
  query: PrimaryEditQuery,
  body: ContentEdit,
  bodyLimit,
  ifMatch: true,
  reply: PrimaryEdited,
  access: primaryWriter('edit'),
  handle: async ({ ctx, space, user, body, request }) =>
    withChanges(ctx, { space, user, body }, changes =>
      editContent(ctx, {
        space,
        by: user,
        changes,
        ifMatch: matchList(request.header('if-match')),
        idempotency: request.idempotency,
        origin: request.origin,
        present: edited => presentPrimaryEdited(ctx, { space, user }, edited),
      }),
    ),
})

type Sent = { space: SpaceRow; user: UserRow; body: z.output<typeof ContentEdit> }

/** Runs an edit with the changes of a request, and with the files that they name. */
const withChanges = <Result>(
  ctx: Context,
  { space, user, body: { changes } }: Sent,
  edit: (changes: Change[]) => Promise<Result>,
): Promise<Result> =>
  useUploads(
    ctx,
    { organizationId: space.organization_id, userId: user.id, keys: uploadsIn(changes) },
    async take => edit(await readChanges(ctx, changes, user.id, take)),
  )
