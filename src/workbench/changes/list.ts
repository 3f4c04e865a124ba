import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { readCurrent } from '../../actions/change-requests/read-current.ts'
import type { Context } from '../../context.ts'
import { mustGet } from '../../lib/must-get.ts'
import { countChangeRequests, findChangeRequest } from '../../store/discussions/change-requests.ts'
import {
  type ChangeRequestFilter,
  listChangeRequests,
} from '../../store/discussions/list-change-requests.ts'
import { listRequestedReviewers } from '../../store/discussions/requested-reviewers.ts'
import { listLatestReviews } from '../../store/discussions/reviews.ts'
import { findUsers } from '../../store/people/users.ts'
import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { page, Redirect } from '../frame/page.ts'
import { type ListedRequest, listView } from './list-view.tsx'
import { requestPath } from './paths.ts'

/** How many change requests a part of the list has. */
const mostListed = 25

/** The most reviewers of a change request that the list names. */
const mostReviewers = 10

const Query = z.object({
  status: z.enum(['open', 'draft', 'merged', 'archived']).default('open'),
  by: z.string().max(100).optional(),
  review: z.literal('me').optional(),
  q: z.string().max(200).optional(),
  before: z.coerce.number().int().min(1).max(999_999_999).optional(),
})

/** The list of the change requests of a space. */
export const changesPage = page({
  path: '/s/:spaceId/changes',
  scope: 'change-requests:read',
  access: space('read'),
  query: Query,
  load: async ({ ctx, space, user, role, query }) => {
    const q = query.q?.trim() || undefined
    const named = /^#?([1-9]\d{0,8})$/.exec(q ?? '')?.[1]
    const direct = named && findChangeRequest(ctx.store, space.id, named)
    if (direct) return new Redirect(requestPath(direct))

    const { status, by, review, before } = query
    const filter: ChangeRequestFilter = {
      status,
      search: q,
      creator: by === 'me' ? user.id : by,
      waitingFor: review && user.id,
    }
    const found = listChangeRequests(ctx.store, space.id, filter, mostListed + 1, {
      after: before,
    })
    const rows = found.slice(0, mostListed)
    const counts = mustGet(countChangeRequests(ctx.store, [space.id]), space.id)

    return {
      space,
      role,
      query: { ...query, q },
      counts: counts satisfies Record<ChangeRequestStatus, number>,
      by: by === undefined || by === 'me' ? undefined : nameOf(ctx, by),
      rows: await listed({ ctx, space }, rows),
      older: found.length > mostListed ? rows.at(-1)?.number : undefined,
    }
  },
  view: listView,
})

const nameOf = ({ store }: Context, id: string): string =>
  findUsers(store, [id]).get(id)?.display_name ?? 'an unknown user'

/** Returns change requests as the list shows them: with their authors and reviews. */
async function listed(
  { ctx, space }: { ctx: Context; space: SpaceRow },
  rows: readonly ChangeRequestRow[],
): Promise<ListedRequest[]> {
  const current = await readCurrent(ctx, space.id, rows)
  const found = current.map(({ row, outdated }) => ({
    row,
    outdated: outdated && (row.status === 'open' || row.status === 'draft'),
    asked: listRequestedReviewers(ctx.store, row.id, mostReviewers).map(({ user_id }) => user_id),
    reviews: listLatestReviews(ctx.store, row.id, row.revision),
  }))
  const users = findUsers(
    ctx.store,
    found.flatMap(({ row, asked }) => [row.created_by, ...asked]),
  )
  const named = (id: string): string => users.get(id)?.display_name ?? ''

  return found.map(({ row, outdated, asked, reviews }) => {
    const done = new Set(reviews.map(({ reviewer_id: id }) => id))
    return {
      row,
      outdated,
      author: named(row.created_by),
      approvedBy: reviews.flatMap(each => (each.status === 'approved' ? each.display_name : [])),
      refusedBy: reviews.flatMap(each => (each.status === 'approved' ? [] : each.display_name)),
      waitsFor: asked.filter(id => !done.has(id)).map(named),
    }
  })
}
