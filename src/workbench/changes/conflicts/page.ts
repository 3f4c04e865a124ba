import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { findConflicts } from '../../../actions/change-requests/mergeability.ts'
import { updateFromPrimary } from '../../../actions/change-requests/update-change-request.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { form, page, Redirect } from '../../frame/page.ts'
import { loadRequest } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { allResolutions } from './fields.ts'
import { conflictsView } from './view.tsx'

/** The conflicts of a change request with the published content. */
export const conflictsPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/conflicts',
  scope: 'change-requests:read',
  access: changeRequest('read'),
  load: async asked => {
    const data = await loadRequest(asked, '/conflicts')
    if (data instanceof Redirect) return data
    const { open, request } = data.place
    const hasSome = (data.merge?.conflicts.length ?? 0) > 0
    return {
      ...data,
      conflicts: hasSome ? await findConflicts(asked.ctx, request) : [],
      remote: `${asked.ctx.publicUrl()}/${open.space.id}.git`,
    }
  },
  view: conflictsView,
})

/** The most bytes of a form: the texts of many conflicts. */
export const longestForm = 4_000_000

/** Resolves the conflicts of a change request with one merge commit. */
export const resolveForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/conflicts',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.record(z.string(), z.string()),
  bodyLimit: longestForm,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/conflicts`,
  act: async ({ ctx, space, user, changeRequest, body, by }) => {
    const current = await currentChangeRequest(ctx, changeRequest)
    const conflicts = await findConflicts(ctx, current)
    const resolutions = allResolutions(conflicts, body)
    const order = { space, changeRequest: current, by: user, resolutions, origin: by.origin }
    await updateFromPrimary(ctx, order)
    return {
      to: requestPath(changeRequest),
      notice: 'The conflicts are resolved: it contains now all that is published.',
    }
  },
})
