import { z } from 'zod'
import { changeRequest } from '../../access/guards/change-request.ts'
import { space } from '../../access/guards/space.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import { form, page, type Redirect, redirectTo } from '../frame/page.ts'
import { myChangeRequests } from './destinations.ts'
import { editView, type Written } from './edit-view.tsx'
import { formLimit, WritingForm } from './fields.ts'
import { imageField } from './images.ts'
import { editPath, openEditor, type Writer } from './open-editor.ts'
import { takeWriting } from './take-writing.ts'

const EditQuery = z.object({ to: z.literal('new').optional() })

/** Opens a page on the latest change request of its writer, or on a new one. */
export const editPage = page({
  path: '/s/:spaceId/edit/:pageId',
  scope: 'content:read',
  access: space('edit'),
  query: EditQuery,
  load: async (asked): Promise<Written | Redirect> => {
    const { ctx, params, query } = asked
    const own = query.to === undefined ? await ownRequestWith(asked, params.pageId) : undefined
    if (own) return redirectTo(editPath(asked.space.id, params.pageId, own.number))
    const { head } = await primaryHead(ctx, asked.space)
    return openEditor(asked, head)
  },
  view: (written, { nonce }) => editView(written, nonce),
})

/** Returns the latest change request of a writer in which there is a page. */
async function ownRequestWith(writer: Writer, pageId: string) {
  const { ctx } = writer
  const [latest] = myChangeRequests(ctx, writer)
  if (!latest) return undefined
  const row = await currentChangeRequest(ctx, latest)
  const { content } = await viewRevision(ctx, writer.space.id, row.revision)
  return content.pageById.has(pageId) ? row : undefined
}

export const editInRequest = page({
  path: '/s/:spaceId/changes/:changeRequestId/edit/:pageId',
  scope: 'content:read',
  access: changeRequest('edit'),
  load: async (asked): Promise<Written | Redirect> => {
    const row = await currentChangeRequest(asked.ctx, asked.changeRequest)
    // What is merged or archived takes no more commits.
    if (row.status === 'merged' || row.status === 'archived')
      return redirectTo(`${editPath(asked.space.id, asked.params.pageId)}?to=new`)
    return openEditor({ ...asked, changeRequest: row }, row.revision)
  },
  view: (written, { nonce }) => editView(written, nonce),
})

export const savePageForm = form({
  path: '/s/:spaceId/edit/:pageId',
  // It can publish, too.
  scope: ['change-requests:write', 'content:write'],
  access: space('edit'),
  body: WritingForm,
  bodyLimit: formLimit,
  file: imageField,
  // Without this, the page may lead to a change request, whose form is another one.
  shownOn: ({ spaceId, pageId }) => `${editPath(spaceId, pageId)}?to=new`,
  act: asked => takeWriting(asked, asked.body),
})

export const saveInRequest = form({
  path: '/s/:spaceId/changes/:changeRequestId/edit/:pageId',
  // It can publish, too.
  scope: ['change-requests:write', 'content:write'],
  access: changeRequest('edit'),
  body: WritingForm,
  bodyLimit: formLimit,
  file: imageField,
  shownOn: ({ spaceId, changeRequestId, pageId }) =>
    `/s/${spaceId}/changes/${changeRequestId}/edit/${pageId}`,
  act: asked => takeWriting(asked, asked.body),
})
