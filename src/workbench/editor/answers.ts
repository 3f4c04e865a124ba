import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { isRevision } from '../../actions/revisions/is-revision.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import { findTargets } from '../../actions/writing/find-targets.ts'
import { openPage } from '../../actions/writing/open-page.ts'
import { missing } from '../../errors.ts'
import { Data, form, page } from '../frame/page.ts'
import { formLimit, Revision, WrittenForm } from './fields.ts'
import { editPath } from './open-editor.ts'
import { previewText } from './preview-text.ts'

/** Answers the editor with a text that is not saved yet as readers will see it. */
export const previewOfPage = form({
  path: '/s/:spaceId/edit/:pageId/preview',
  scope: 'content:read',
  access: space('read'),
  body: WrittenForm,
  bodyLimit: formLimit,
  computes: true,
  shownOn: ({ spaceId, pageId }) => editPath(spaceId, pageId),
  act: async asked => {
    const { ctx, body, params } = asked
    const opened = await openPage(ctx, asked.space.id, body.revision, params.pageId)
    return new Data({ html: await previewText(asked, opened, body.body) })
  },
})

/** Answers the editor with pages and headings that a link can lead to. */
export const targetsOfLinks = page({
  path: '/s/:spaceId/edit/:pageId/links',
  scope: 'content:read',
  access: space('read'),
  query: z.object({ at: Revision, q: z.string().max(200).default('') }),
  load: async ({ ctx, space: { id: spaceId }, params, query, request: { signal } }) => {
    if (!(await isRevision(ctx, spaceId, query.at))) throw missing('revision', query.at)
    const view = await viewRevision(ctx, spaceId, query.at)
    const node = view.content.pageById.get(params.pageId)
    if (!node) throw missing('page', params.pageId)
    return new Data({
      items: await findTargets(ctx, { spaceId, view, node, words: query.q, signal }),
    })
  },
  view: () => ({ title: '', body: null }),
})
