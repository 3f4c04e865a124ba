import type { RequestFacts } from '../../../access/asker.ts'
import {
  type ContentGrant,
  changeRequestContent,
  primaryContent,
  revisionContent,
} from '../../../access/guards/content.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { PageQuery } from '../../../http/list.ts'
import { changeRequestPaths, revisionPaths, spacePaths } from '../schema.ts'
import type { Looking } from './locations.ts'
import { answerBacklinks, answerLinks } from './read.ts'
import { Backlinks, ChangeRequestLinksQuery, Links, LinksQuery } from './schema.ts'

type LinksRequest = ContentGrant & {
  ctx: Context
  request: RequestFacts
  query: Parameters<typeof answerLinks>[2]
}

const lookingAs = ({ user, role, scope, request }: LinksRequest): Looking => ({
  user,
  role,
  tokenId: request.origin.tokenId,
  changeRequest: scope.kind === 'change-request' ? scope.request : undefined,
})

const linksOf = async (asked: LinksRequest, pageId?: string) =>
  answerLinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query, pageId)

const backlinksOf = async (asked: LinksRequest, kind: 'page' | 'file', id: string) =>
  answerBacklinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query, {
    kind,
    id,
  })

const links = {
  description:
    'Returns one item per link, sorted by file and position. Included are links in pages, in reusable content and in Markdown files outside the table of contents, and entries of the table of contents that do not name an existing page. Files over 1 MB are skipped. `link` has the text and the position of the link. A link to a published site of this server has the status `in-app`, or `broken` if no site or space is at the address for the caller; the page at the address is not checked.',
  query: LinksQuery,
  reply: Links,
  computes: true,
}

export const listSpaceLinks = endpoint({
  operationId: 'listSpaceLinks',
  summary: 'List the links of a space, with the broken ones',
  params: spacePaths.scope,
  access: primaryContent,
  ...links,
  handle: linksOf,
})

export const listChangeRequestLinks = endpoint({
  operationId: 'listChangeRequestLinks',
  summary: 'List the links of a change request, with those that it breaks',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...links,
  description: `${links.description} A link counts as broken by the change request if it is broken there, and works or does not exist in the primary content that the change request started from or was last updated with.`,
  query: ChangeRequestLinksQuery,
  handle: linksOf,
})

export const listPageLinksInSpace = endpoint({
  operationId: 'listPageLinksInSpace',
  summary: 'List the links of a page',
  params: spacePaths.page,
  access: primaryContent,
  ...links,
  handle: asked => linksOf(asked, asked.params.pageId),
})

export const listPageLinksInChangeRequest = endpoint({
  operationId: 'listPageLinksInChangeRequest',
  summary: 'List the links of a page of a change request',
  params: changeRequestPaths.page,
  access: changeRequestContent,
  ...links,
  query: ChangeRequestLinksQuery,
  handle: asked => linksOf(asked, asked.params.pageId),
})

export const listRevisionLinks = endpoint({
  operationId: 'listRevisionLinks',
  summary: 'List the links of a revision',
  params: revisionPaths.scope,
  access: revisionContent,
  ...links,
  handle: linksOf,
})

export const listPageLinksInRevision = endpoint({
  operationId: 'listPageLinksInRevision',
  summary: 'List the links of a page of a revision',
  params: revisionPaths.page,
  access: revisionContent,
  ...links,
  handle: asked => linksOf(asked, asked.params.pageId),
})

const backlinks = {
  description:
    'Returns the pages, files and reusable content with a link to the target, sorted by path. Each is listed once. Links of a page to itself are left out.',
  query: PageQuery,
  reply: Backlinks,
  computes: true,
}

export const listSpacePageBacklinks = endpoint({
  operationId: 'listSpacePageBacklinks',
  summary: 'List the backlinks of a page',
  params: spacePaths.page,
  access: primaryContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'page', asked.params.pageId),
})

export const listChangeRequestPageBacklinks = endpoint({
  operationId: 'listChangeRequestPageBacklinks',
  summary: 'List the backlinks of a page of a change request',
  params: changeRequestPaths.page,
  access: changeRequestContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'page', asked.params.pageId),
})

export const listSpaceFileBacklinks = endpoint({
  operationId: 'listSpaceFileBacklinks',
  summary: 'List the backlinks of a file',
  params: spacePaths.file,
  access: primaryContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'file', asked.params.fileId),
})

export const listChangeRequestFileBacklinks = endpoint({
  operationId: 'listChangeRequestFileBacklinks',
  summary: 'List the backlinks of a file of a change request',
  params: changeRequestPaths.file,
  access: changeRequestContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'file', asked.params.fileId),
})

export const listRevisionPageBacklinks = endpoint({
  operationId: 'listRevisionPageBacklinks',
  summary: 'List the backlinks of a page of a revision',
  params: revisionPaths.page,
  access: revisionContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'page', asked.params.pageId),
})

export const listRevisionFileBacklinks = endpoint({
  operationId: 'listRevisionFileBacklinks',
  summary: 'List the backlinks of a file of a revision',
  params: revisionPaths.file,
  access: revisionContent,
  ...backlinks,
  handle: asked => backlinksOf(asked, 'file', asked.params.fileId),
})
