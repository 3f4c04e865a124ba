import type { SpaceGrant } from '../../access/guards/space.ts'
import { type ChangedPage, changedPagesOf } from '../../actions/reviewing/changed-pages.ts'
import { type MergeState, mergeStateOf } from '../../actions/reviewing/merge-state.ts'
import { type OpenRequest, openRequest } from '../../actions/reviewing/open-request.ts'
import { previewOfChangeRequest } from '../../actions/sites/reading-address.ts'
import type { Context } from '../../context.ts'
import { findUsers } from '../../store/people/users.ts'
import { listSitesWithSpace } from '../../store/sites/sites.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { Redirect } from '../frame/page.ts'
import { requestPath } from './paths.ts'

/** What every page of a change request shows. */
export type RequestPage = {
  place: OpenRequest
  author: string
  pages: readonly ChangedPage[]
  merge: MergeState | undefined
  /** The address of its preview on a site that shows the space. */
  preview: string | undefined
}

export type RequestAsked = SpaceGrant & {
  ctx: Context
  changeRequest: ChangeRequestRow
  params: { changeRequestId: string }
  request: { signal: AbortSignal }
}

/** Opens the change request that an address names. An address with its id leads to the one with its number. */
export async function loadRequest(
  asked: RequestAsked,
  below = '',
): Promise<RequestPage | Redirect> {
  const { ctx, changeRequest, params, request } = asked
  if (params.changeRequestId !== String(changeRequest.number))
    return new Redirect(requestPath(changeRequest) + below)
  const place = await openRequest(ctx, asked, request.signal)
  const [site] = listSitesWithSpace(ctx.store, asked.space.id)
  const author = findUsers(ctx.store, [changeRequest.created_by]).get(changeRequest.created_by)

  return {
    place,
    author: author?.display_name ?? '',
    pages: changedPagesOf(place),
    merge: await mergeStateOf(ctx, place),
    preview: site && previewOfChangeRequest(ctx, site, place.request),
  }
}
