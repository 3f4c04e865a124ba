import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import {
  findConflicts,
  tryConflictResolutions,
} from '../../../actions/change-requests/mergeability.ts'
import { updateFromPrimary } from '../../../actions/change-requests/update-change-request.ts'
import { currentChangeRequest } from '../../../actions/heads/current-change-request.ts'
import { type Done, form, page, Redirect, type View } from '../../frame/page.ts'
import { loadRequest, type RequestAsked } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { allResolutions } from './fields.ts'
import { type ChoosingAsked, tryChoices } from './results.ts'
import { type ConflictsPage, conflictsView } from './view.tsx'

/** The conflicts of a change request with the published content. */
export const conflictsPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/conflicts',
  scope: 'change-requests:read',
  access: changeRequest('read'),
  load: loadConflicts,
  view: conflictsView,
})

async function loadConflicts(asked: RequestAsked): Promise<ConflictsPage | Redirect> {
  const data = await loadRequest(asked, '/conflicts')
  if (data instanceof Redirect) return data
  const { open, request } = data.place
  const hasSome = (data.merge?.conflicts.length ?? 0) > 0
  return {
    ...data,
    conflicts: hasSome ? await findConflicts(asked.ctx, request) : [],
    results: undefined,
    remote: `${asked.ctx.publicUrl()}/${open.space.id}.git`,
  }
}

/** The most bytes of a form: the texts of many conflicts. */
export const longestForm = 4_000_000

/** Resolves the conflicts of a change request with one merge commit, or shows what that would bring. */
export const resolveForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/conflicts',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.record(z.string(), z.string()),
  bodyLimit: longestForm,
  computes: true,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/conflicts`,
  act: async asked => {
    const { ctx, space, user, changeRequest, body, by } = asked
    if (body.do === 'preview') return showResults(asked, body)
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

/** Returns the page of the conflicts with what the choices of its form bring. */
async function showResults(
  asked: RequestAsked & ChoosingAsked,
  values: Readonly<Record<string, string>>,
): Promise<View | Done> {
  const data = await loadConflicts(asked)
  if (data instanceof Redirect) return { to: data.to }
  const { conflicts, place } = data
  const results = await tryChoices(asked, { place, conflicts, values }, resolutions =>
    tryConflictResolutions(asked.ctx, place.request, resolutions),
  )
  return { ...conflictsView({ ...data, results }), keepsForm: true }
}
