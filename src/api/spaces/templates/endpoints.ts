import { z } from 'zod'
import { checkPrimaryWriter } from '../../../access/guards/primary.ts'
import { self } from '../../../access/guards/self.ts'
import { space } from '../../../access/guards/space.ts'
import { editContent } from '../../../actions/edit/edit-content.ts'
import { listTemplates as list, readTemplate } from '../../../actions/spaces/read-templates.ts'
import { missing } from '../../../errors.ts'
import { matchList } from '../../../http/conditional.ts'
import { endpoint, nothing } from '../../../http/endpoint.ts'
import { inMemory, listing } from '../../../http/list.ts'
import { findChangeRequest } from '../../../store/discussions/change-requests.ts'
import { SpacePath } from '../../base/paths-schema.ts'

import { ApplyTemplate, Template } from './schema.ts'

export const listTemplates = listing({
  operationId: 'listTemplates',
  summary: 'List the templates of the server',
  description:
    'Sorted by id: the built-in templates and those of the operator of the server, which replace built-in ones with the same id. `issue` says why a template cannot be used.',
  params: z.object({}),
  item: Template,
  access: self,
  list: async ({ ctx }) =>
    inMemory({
      name: 'templates',
      rows: await list(ctx),
      key: ({ id }) => id,
      show: rows =>
        rows.map(({ issue, ...template }) => ({
          object: 'template' as const,
          ...template,
          ...(issue !== undefined && { issue }),
        })),
    }),
})

export const applyTemplateToSpace = endpoint({
  operationId: 'applyTemplateToSpace',
  summary: 'Apply a template to a space or a change request',
  description:
    'Adds the files of the template as one commit, with the rights of an edit there. The lines of its table of contents are appended; a group with the same name is continued. Nothing is overwritten: if the space has a file of the template, the answer is a 409 that names the files, and nothing is written. The first page (README.md) of the template fills that of the space if that has no text besides its heading, and is otherwise left out. `If-Match` with a revision fails with 412 when the content is at another revision.',
  params: SpacePath,
  body: ApplyTemplate,
  ifMatch: true,
  reply: nothing,
  status: 201,
  access: space('edit'),
  handle: async ({ ctx, space: row, user, role, body, request }) => {
    const { id, params, changeRequestId } = body
    const changeRequest =
      changeRequestId === undefined
        ? undefined
        : findChangeRequest(ctx.store, row.id, changeRequestId)
    if (changeRequestId === undefined) checkPrimaryWriter(ctx, row, { user, role }, 'edit')
    else if (!changeRequest) throw missing('change request', changeRequestId)

    const template = await readTemplate(ctx, id)

    return editContent(ctx, {
      space: row,
      changeRequest,
      by: user,
      changes: [{ operation: 'apply_template', template, refs: params?.contentRefs ?? {} }],
      ifMatch: matchList(request.header('if-match')),
      idempotency: request.idempotency,
      status: 201,
      origin: request.origin,
      present: async () => undefined,
    })
  },
})
