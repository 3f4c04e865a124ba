import { z } from 'zod'
import { changeRequest } from '../../access/guards/change-request.ts'
import { space } from '../../access/guards/space.ts'
import { createChangeRequest } from '../../actions/change-requests/create-change-request.ts'
import { DescriptionText } from '../../actions/change-requests/description.ts'
import { editChangeRequest } from '../../actions/change-requests/edit-change-request.ts'
import { mergeChangeRequest } from '../../actions/change-requests/merge-change-request.ts'
import { updateFromPrimary } from '../../actions/change-requests/update-change-request.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form } from '../frame/page.ts'
import { changesPath, requestPath } from './paths.ts'
import { titleOf } from './status.tsx'

type RequestParams = { spaceId: string; changeRequestId: string }

/** Returns the path of the overview that a form of a change request is on. */
export const onOverview = ({ spaceId, changeRequestId }: RequestParams): string =>
  `/s/${spaceId}/changes/${changeRequestId}`

const Subject = lineOfText(0, 100)

/** Opens a change request without changes. */
export const createForm = form({
  path: '/s/:spaceId/changes',
  scope: 'change-requests:write',
  access: space('edit'),
  body: z.object({ subject: lineOfText(1, 100) }),
  shownOn: ({ spaceId }) => changesPath(spaceId),
  act: async ({ ctx, space, user, body, by }) => {
    const row = await createChangeRequest(ctx, {
      space,
      by: user,
      subject: body.subject,
      description: null,
      origin: by.origin,
    })
    return { to: requestPath(row), notice: 'The change request is open. Edit a page next.' }
  },
})

/** Edits the title and the description. */
export const textForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/text',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({
    subject: Subject,
    description: DescriptionText,
  }),
  shownOn: onOverview,
  act: async ({ ctx, user, changeRequest, body, by }) => {
    const row = await editChangeRequest(ctx, changeRequest, user, body, by.origin)
    return { to: requestPath(row), notice: 'Title and description are saved.' }
  },
})

const statusNotices = {
  open: 'It is open for review.',
  draft: 'It is a draft.',
  archived: 'It is closed. It can be opened again.',
}

/** Opens, closes, or makes a draft of a change request. */
export const statusForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/status',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({ status: z.enum(['open', 'draft', 'archived']) }),
  shownOn: onOverview,
  act: async ({ ctx, user, changeRequest, body: { status }, by }) => {
    const row = await editChangeRequest(ctx, changeRequest, user, { status }, by.origin)
    return { to: requestPath(row), notice: statusNotices[status] }
  },
})

/** Merges the primary content into a change request. */
export const updateForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/update',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({}),
  shownOn: onOverview,
  act: async ({ ctx, space, user, changeRequest, by }) => {
    const order = { space, changeRequest, by: user, origin: by.origin }
    const { result } = await updateFromPrimary(ctx, order)
    const path = requestPath(changeRequest)
    return result === 'update'
      ? { to: path, notice: 'It contains now all that is published.' }
      : { to: `${path}/conflicts`, notice: 'Both sides changed the same places: choose for each.' }
  },
})

/** Merges a change request into the primary content. */
export const mergeForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/merge',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({
    revision: z.string().min(1).max(100),
    bypass: z.literal('on').optional(),
  }),
  shownOn: onOverview,
  act: async ({ ctx, space, user, changeRequest, body, by }) => {
    const { result } = await mergeChangeRequest(ctx, {
      space,
      changeRequest,
      by: user,
      seen: body.revision,
      bypassRules: body.bypass === 'on',
      origin: by.origin,
    })
    const path = requestPath(changeRequest)
    return result === 'merge'
      ? { to: path, notice: `“${titleOf(changeRequest)}” is merged.` }
      : { to: `${path}/conflicts`, notice: 'Both sides changed the same places: choose for each.' }
  },
})
