import {
  changeRequestContent,
  publishedContent,
  revisionContent,
} from '../../../access/guards/content.ts'
import { organization } from '../../../access/guards/organization.ts'
import { findSpacesWith, visibleNumbers } from '../../../actions/audience/finding/find-spaces.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { changeRequestPaths, revisionPaths, spacePaths } from '../schema.ts'
import { answerSpaces } from './answer-spaces.ts'
import { SearchPageResults, SearchQuery, SearchSpaceResults } from './schema.ts'
import { searchContent } from './search-space.ts'

const PagesQuery = selecting(SearchQuery, SearchPageResults)

const found =
  'Best first: pages whose title is the query, then pages with all words in the title, then others by relevance: words count more in titles and headings, and in short pages and passages. In scripts without spaces, any part of a word matches. Pages with `noIndex` are left out, hidden pages are included. A list contains the best few hundred pages.'

export const searchSpaceContent = endpoint({
  operationId: 'searchSpaceContent',
  summary: 'Search the pages of a space',
  description: `${found} The header \`Stemma-Revision\` is the id of the searched revision: the newest one, or the one before while a very large change is being indexed.`,
  params: spacePaths.scope,
  query: PagesQuery,
  reply: SearchPageResults,
  computes: true,
  access: publishedContent,
  readers: true,
  handle: ({ ctx, query, request, ...granted }) => searchContent(ctx, granted, query, request),
})

export const searchChangeRequestContent = endpoint({
  operationId: 'searchChangeRequestContent',
  summary: 'Search the pages of a change request',
  description: `${found} The header \`Stemma-Revision\` is the id of the searched revision.`,
  params: changeRequestPaths.scope,
  query: PagesQuery,
  reply: SearchPageResults,
  computes: true,
  access: changeRequestContent,
  handle: ({ ctx, query, request, ...granted }) => searchContent(ctx, granted, query, request),
})

export const searchRevisionContent = endpoint({
  operationId: 'searchRevisionContent',
  summary: 'Search the pages of a revision',
  description: `${found} The first search of a revision indexes the pages that differ from the newest revision, up to 1,000 pages per request. Until all pages are indexed, the answer is a 503: repeat the request.`,
  params: revisionPaths.scope,
  query: PagesQuery,
  reply: SearchPageResults,
  computes: true,
  access: revisionContent,
  handle: ({ ctx, query, request, ...granted }) => searchContent(ctx, granted, query, request),
})

export const searchOrganizationContent = endpoint({
  operationId: 'searchOrganizationContent',
  summary: 'Search the pages of all spaces of an organization',
  description: `Searches the primary content of all spaces that you may read, and returns at most ten pages of each space. ${found} The index may lack changes of the last few seconds.`,
  params: OrganizationPath,
  query: selecting(SearchQuery, SearchSpaceResults),
  reply: SearchSpaceResults,
  computes: true,
  access: organization('guest'),
  handle: ({ ctx, organization: { id }, user, query, request }) =>
    answerSpaces(ctx, {
      find: wanted =>
        findSpacesWith(
          ctx.store,
          visibleNumbers(ctx, { organizationId: id, userId: user.id }),
          wanted,
        ),
      list: `search ${id} ${user.id} ${query.query}`,
      query,
      request,
    }),
})
