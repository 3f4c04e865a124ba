import { z } from 'zod'
import { changeRequest } from '../../../access/guards/change-request.ts'
import { CommentText } from '../../../actions/comments/comment-text.ts'
import { postComment, revisionToComment } from '../../../actions/comments/post-comment.ts'
import { inTransaction } from '../../../http/endpoint.ts'
import { CommentQuery } from '../../comments/comment-query.ts'
import { form, page, Redirect } from '../../frame/page.ts'
import { loadRequest } from '../load-request.ts'
import { requestPath, withQuery } from '../paths.ts'
import { hasText, loadPage, type PagesPage } from './load.ts'
import { pagesView } from './view.tsx'

const ViewQuery = z.enum(['page', 'side', 'source']).default('page')

/** The pages that a change request changes: leads to the first one. */
export const pagesPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/pages',
  scope: ['change-requests:read', 'comments:read'],
  access: changeRequest('read'),
  query: z.object({ view: ViewQuery }),
  load: async (asked): Promise<PagesPage | Redirect> => {
    const data = await loadRequest(asked, '/pages')
    if (data instanceof Redirect) return data
    const first = data.pages.find(hasText)
    const path = requestPath(data.place.request)
    const view = asked.query.view === 'page' ? undefined : asked.query.view
    return first
      ? new Redirect(withQuery(`${path}/pages/${first.node.id}`, { view }))
      : { ...data, shown: undefined, viewed: new Set() }
  },
  view: pagesView,
})

/** Returns a function that returns the address of another page of a change request. */
const hrefIn =
  ({ at }: { at: (path: string) => string }, path: string) =>
  (id: string): string =>
    at(`${path}/pages/${id}`)

/** What a change request changes in a page. */
export const changedPage = page({
  path: '/s/:spaceId/changes/:changeRequestId/pages/:pageId',
  scope: ['change-requests:read', 'comments:read'],
  access: changeRequest('read'),
  query: CommentQuery.extend({ view: ViewQuery, at: z.string().max(200).optional() }),
  load: async asked => {
    const { params, query, hold } = asked
    const below = `/pages/${encodeURIComponent(params.pageId)}`
    const data = await loadRequest(asked, below)
    if (data instanceof Redirect) return data
    const path = requestPath(data.place.request)
    const showing = { place: data.place, hold, hrefOf: hrefIn(asked, path) }
    return loadPage(data, showing, {
      pageId: params.pageId,
      ...query,
      at: query.at,
      comment: query.comment,
    })
  },
  view: pagesView,
})

/** Comments on a page of a change request, or on one of its blocks. */
export const pageCommentForm = form({
  path: '/s/:spaceId/changes/:changeRequestId/pages/:pageId/comments',
  scope: 'comments:write',
  access: changeRequest('comment'),
  body: z.object({ text: CommentText, block: z.string().max(200).default(''), view: ViewQuery }),
  shownOn: ({ spaceId, changeRequestId, pageId }) =>
    `/s/${spaceId}/changes/${changeRequestId}/pages/${encodeURIComponent(pageId)}`,
  act: async ({ ctx, params, body, by, ...granted }) => {
    const { pageId } = params
    const { space, user, role, changeRequest } = granted
    const revision = await revisionToComment(ctx, { space, user, role, changeRequest }, pageId)
    const own = `${requestPath(changeRequest)}/pages/${encodeURIComponent(pageId)}`

    return inTransaction(now => {
      const comment = {
        body: { markdown: body.text },
        page: pageId,
        node: body.block === '' ? undefined : body.block,
      }
      const row = postComment(ctx, { ...now, origin: by.origin }, comment, revision)
      const view = body.view === 'page' ? undefined : body.view
      return {
        to: `${withQuery(own, { view })}#comment-${row.id}`,
        notice: 'Your comment was posted.',
      }
    })
  },
})
