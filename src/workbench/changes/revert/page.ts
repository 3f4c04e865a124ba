import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import {
  findRevertConflicts,
  tryRevertResolutions,
} from '../../../actions/change-requests/find-revert-conflicts.ts'
import { revertMerge } from '../../../actions/change-requests/revert.ts'
import { Fault } from '../../../errors.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { type Done, form, page, Redirect, type View } from '../../frame/page.ts'
import { allResolutions } from '../conflicts/fields.ts'
import { longestForm } from '../conflicts/page.ts'
import { type ChoosingAsked, tryChoices } from '../conflicts/results.ts'
import { loadRequest, type RequestAsked } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { type RevertPage, revertView } from './view.tsx'

/** What a revert of a merged change request does, and its conflicts. */
export const revertPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/revert',
  scope: 'change-requests:read',
  access: changeRequest('edit'),
  load: loadRevert,
  view: revertView,
})

async function loadRevert(asked: RequestAsked): Promise<RevertPage | Redirect> {
  const data = await loadRequest(asked, '/revert')
  if (data instanceof Redirect) return data
  try {
    const conflicts = await findRevertConflicts(asked.ctx, data.place.request)
    return { ...data, conflicts, results: undefined }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'conflict') throw error
    return { ...data, why: error.message }
  }
}

/** Creates a change request that takes back what a merged one brought, or shows what its choices bring. */
export const revertForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/revert',
  scope: 'change-requests:write',
  access: changeRequest('edit'),
  body: z.object({ subject: lineOfText(1, 100) }).catchall(z.string()),
  bodyLimit: longestForm,
  computes: true,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/revert`,
  act: async asked => {
    const { ctx, space, user, changeRequest, body, by } = asked
    const { subject, ...choices } = body
    if (choices.do === 'preview') return showResults(asked, choices)
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

/** Returns the page of the revert with what the choices of its form bring. */
async function showResults(
  asked: RequestAsked & ChoosingAsked,
  values: Readonly<Record<string, string>>,
): Promise<View | Done> {
  const data = await loadRevert(asked)
  if (data instanceof Redirect) return { to: data.to }
  if ('why' in data) return revertView(data)
  const { conflicts, place } = data
  const results = await tryChoices(asked, { place, conflicts, values }, resolutions =>
    tryRevertResolutions(asked.ctx, place.request, resolutions),
  )
  return { ...revertView({ ...data, results }), keepsForm: true }
}

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
