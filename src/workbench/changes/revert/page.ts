import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { findRevertConflicts } from '../../../actions/change-requests/find-revert-conflicts.ts'
import { revertMerge } from '../../../actions/change-requests/revert.ts'
import { Fault } from '../../../errors.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { form, page, Redirect } from '../../frame/page.ts'
import { allResolutions } from '../conflicts/fields.ts'
import { longestForm } from '../conflicts/page.ts'
import { loadRequest } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { revertView } from './view.tsx'

/** What a revert of a merged change request does, and its conflicts. */
export const revertPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/revert',
  scope: 'change-requests:read',
  access: changeRequest('edit'),
  load: async asked => {
    const data = await loadRequest(asked, '/revert')
    if (data instanceof Redirect) return data
    try {
      return { ...data, conflicts: await findRevertConflicts(asked.ctx, data.place.request) }
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'conflict') throw error
      return { ...data, why: error.message }
    }
  },
  view: revertView,
})

/** Creates a change request that takes back what a merged one brought. */
export const revertForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/revert',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({ subject: lineOfText(1, 100) }).catchall(z.string()),
  bodyLimit: longestForm,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/revert`,
  act: async ({ ctx, space, user, changeRequest, body, by }) => {
    const { subject, ...choices } = body
    const order = { space, changeRequest, by: user, subject, origin: by.origin }
    const outcome = await revertMerge(ctx, order)
    const { changeRequest: row } =
      'conflicts' in outcome
        ? await revertResolved(ctx, { ...order, ...outcome, choices })
        : outcome
    return {
      to: requestPath(row),
      notice: `This takes back what #${changeRequest.number} brought. Merge it to publish that.`,
    }
  },
})

type ResolvedRevert = Parameters<typeof revertMerge>[1] & {
  conflicts: Parameters<typeof allResolutions>[0]
  choices: Readonly<Record<string, string>>
}

/** Reverts with the choices of a form. Throws 'conflict' if one is missing. */
async function revertResolved(
  ctx: Parameters<typeof revertMerge>[0],
  { conflicts, choices, ...order }: ResolvedRevert,
) {
  const resolutions = allResolutions(conflicts, choices)
  const outcome = await revertMerge(ctx, { ...order, resolutions })
  if ('conflicts' in outcome) throw new Error('A revert with all resolutions has conflicts.')
  return outcome
}
