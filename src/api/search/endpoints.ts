import { changeRequestContent, primaryContent } from '../../access/guards/content.ts'
import { organization } from '../../access/guards/organization.ts'
import { endpoint } from '../../http/endpoint.ts'
import { changeRequestPaths, spacePaths } from '../content/schema.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { SearchPageResults, SearchQuery, SearchSpaceResults } from './schema.ts'
import { searchSpaces } from './search-organization.ts'
import { searchContent } from './search-space.ts'

const found =
  'Best first: pages that are called so, then those whose title has all words, then those with a heading that has them, then those whose text has. Any part of a word is found in scripts that are written without blanks. Pages with `noIndex` are not found, hidden ones are. A list holds the best: some hundreds.'

export const searchSpaceContent = endpoint({
  operationId: 'searchSpaceContent',
  summary: 'Search the pages of a space',
  description: `${found} The header \`Stemma-Revision\` says which revision was searched: the newest, or the one before a very large change whose index is being made.`,
  params: spacePaths.scope,
  query: SearchQuery,
  reply: SearchPageResults,
  access: primaryContent,
  handle: ({ ctx, space, user, role, scope, query, request }) =>
    searchContent(ctx, { space, user, role, scope }, query, request),
})

export const searchChangeRequestContent = endpoint({
  operationId: 'searchChangeRequestContent',
  summary: 'Search the pages that a change request proposes',
  description: `${found} The header \`Stemma-Revision\` says which revision was searched.`,
  params: changeRequestPaths.scope,
  query: SearchQuery,
  reply: SearchPageResults,
  access: changeRequestContent,
  handle: ({ ctx, space, user, role, scope, query, request }) =>
    searchContent(ctx, { space, user, role, scope }, query, request),
})

export const searchOrganizationContent = endpoint({
  operationId: 'searchOrganizationContent',
  summary: 'Search the pages of all spaces of an organization',
  description: `The published pages of the spaces that you may read, at most ten of each space. ${found} What was written in the last seconds may not be found yet.`,
  params: OrganizationPath,
  query: SearchQuery,
  reply: SearchSpaceResults,
  access: organization('guest'),
  handle: ({ ctx, organization: of, member, user, query, request }) =>
    searchSpaces(ctx, { organization: of, member, user }, query, request),
})
