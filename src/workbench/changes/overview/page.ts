import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { CommentQuery } from '../../comments/comment-query.ts'
import { page, Redirect } from '../../frame/page.ts'
import { loadRequest } from '../load-request.ts'
import { requestPath } from '../paths.ts'
import { loadOverview } from './load.ts'
import { overviewView } from './view.tsx'

const Query = CommentQuery.extend({ before: z.coerce.number().int().min(1).optional() })

/** The overview of a change request. */
export const overviewPage = page({
  path: '/s/:spaceId/changes/:changeRequestId',
  scope: ['change-requests:read', 'comments:read'],
  access: changeRequest('read'),
  query: Query,
  load: async asked => {
    const data = await loadRequest(asked)
    if (data instanceof Redirect) return data
    const path = requestPath(data.place.request)
    const hrefOf = (id: string) => asked.at(`${path}/pages/${id}`)
    return loadOverview(data, { place: data.place, hold: asked.hold, hrefOf }, asked.query)
  },
  view: overviewView,
})
