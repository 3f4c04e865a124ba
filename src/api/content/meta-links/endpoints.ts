import type { RequestFacts } from '../../../access/asker.ts'
import {
  changeRequestContent,
  type PublishedGrant,
  publishedContent,
  publishedRevision,
} from '../../../access/guards/content.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { changeRequestPaths, revisionPaths, spacePaths } from '../schema.ts'
import { metaLinksOf } from './read.ts'
import { PageMetaLinks } from './schema.ts'

type PageRequest = PublishedGrant & {
  ctx: Context
  request: RequestFacts
  params: { pageId: string }
}

const metaLinks = {
  reply: PageMetaLinks,
  computes: true,
  handle: async (asked: PageRequest) => {
    const { ctx, request, params } = asked
    return metaLinksOf(await openContent(ctx, asked, { computed: true, request }), params.pageId)
  },
}

const description =
  'The canonical address of the page, the same page in other languages, and both as the page itself names them at each published site that you may see. `metaLinks` in the front matter of the page are followed first. A page that visitors are not shown, such as a draft, has no sites.'

export const listSpacePageMetaLinks = endpoint({
  operationId: 'listSpacePageMetaLinks',
  summary: 'List the addresses of a page for search engines',
  description,
  params: spacePaths.page,
  access: publishedContent,
  readers: true,
  ...metaLinks,
})

const later = `${description} The addresses are those that the page has once this content is the primary content.`

export const listChangeRequestPageMetaLinks = endpoint({
  operationId: 'listChangeRequestPageMetaLinks',
  summary: 'List the addresses for search engines of a page of a change request',
  description: later,
  params: changeRequestPaths.page,
  access: changeRequestContent,
  ...metaLinks,
})

export const listRevisionPageMetaLinks = endpoint({
  operationId: 'listRevisionPageMetaLinks',
  summary: 'List the addresses for search engines of a page of a revision',
  description: later,
  params: revisionPaths.page,
  access: publishedRevision,
  readers: true,
  ...metaLinks,
})
