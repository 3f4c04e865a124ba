import type { RequestFacts } from '../../../access/asker.ts'
import {
  type ContentGrant,
  changeRequestContent,
  primaryContent,
} from '../../../access/guards/content.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { PageQuery } from '../../../http/list.ts'
import { changeRequestPaths, spacePaths } from '../schema.ts'
import type { Looking } from './locations.ts'
import { answerBacklinks, answerLinks } from './read.ts'
import { Backlinks, ChangeRequestLinksQuery, Links, StatusQuery } from './schema.ts'

const lookingAs = ({ user, role, scope }: ContentGrant): Looking => ({
  user,
  role,
  changeRequest: scope.kind === 'change-request' ? scope.request : undefined,
})

const listed =
  'Sorted by file and position, one item for each link: the links of pages, of reusable content and of Markdown files outside the table of contents, and those entries of the table of contents that are not existing pages. Files over 1 MB are skipped. `link` tells the notation and the place of the link.'

export const listSpaceLinks = endpoint({
  operationId: 'listSpaceLinks',
  summary: 'List the links of a space, with the broken ones',
  description: listed,
  params: spacePaths.scope,
  query: StatusQuery,
  reply: Links,
  computes: true,
  access: primaryContent,
  handle: async asked =>
    answerLinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query),
})

export const listChangeRequestLinks = endpoint({
  operationId: 'listChangeRequestLinks',
  summary: 'List the links of a change request, with those that it breaks',
  description: `${listed} A change request breaks a link that is broken in it but was working or missing in the primary content that it started from or was last updated with.`,
  params: changeRequestPaths.scope,
  query: ChangeRequestLinksQuery,
  reply: Links,
  computes: true,
  access: changeRequestContent,
  handle: async asked =>
    answerLinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query),
})

export const listPageLinksInSpace = endpoint({
  operationId: 'listPageLinksInSpace',
  summary: 'List the links of a page',
  description: listed,
  params: spacePaths.page,
  query: StatusQuery,
  reply: Links,
  computes: true,
  access: primaryContent,
  handle: async asked =>
    answerLinks(
      await openContent(asked.ctx, asked, asked),
      lookingAs(asked),
      asked.query,
      asked.params.pageId,
    ),
})

export const listPageLinksInChangeRequest = endpoint({
  operationId: 'listPageLinksInChangeRequest',
  summary: 'List the links of a page of a change request',
  description: listed,
  params: changeRequestPaths.page,
  query: PageQuery,
  reply: Links,
  computes: true,
  access: changeRequestContent,
  handle: async asked =>
    answerLinks(
      await openContent(asked.ctx, asked, asked),
      lookingAs(asked),
      asked.query,
      asked.params.pageId,
    ),
})

const backlinks =
  'Lists each page, file and piece of reusable content that links to it once, sorted by path; not the page itself.'

type AskedPage = ContentGrant & {
  request: RequestFacts
  ctx: Parameters<typeof openContent>[0]
  params: { pageId: string }
  query: { page?: string | undefined; limit?: number | undefined }
}
type AskedFile = Omit<AskedPage, 'params'> & { params: { fileId: string } }

const pageBacklinks = {
  description: backlinks,
  query: PageQuery,
  reply: Backlinks,
  computes: true,
  handle: async (asked: AskedPage) =>
    answerBacklinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query, {
      kind: 'page',
      id: asked.params.pageId,
    }),
}

const fileBacklinks = {
  description: backlinks,
  query: PageQuery,
  reply: Backlinks,
  computes: true,
  handle: async (asked: AskedFile) =>
    answerBacklinks(await openContent(asked.ctx, asked, asked), lookingAs(asked), asked.query, {
      kind: 'file',
      id: asked.params.fileId,
    }),
}

export const listSpacePageBacklinks = endpoint({
  operationId: 'listSpacePageBacklinks',
  summary: 'List the backlinks of a page',
  params: spacePaths.page,
  access: primaryContent,
  ...pageBacklinks,
})

export const listChangeRequestPageBacklinks = endpoint({
  operationId: 'listChangeRequestPageBacklinks',
  summary: 'List the backlinks of a page of a change request',
  params: changeRequestPaths.page,
  access: changeRequestContent,
  ...pageBacklinks,
})

export const listSpaceFileBacklinks = endpoint({
  operationId: 'listSpaceFileBacklinks',
  summary: 'List the backlinks of a file',
  params: spacePaths.file,
  access: primaryContent,
  ...fileBacklinks,
})

export const listChangeRequestFileBacklinks = endpoint({
  operationId: 'listChangeRequestFileBacklinks',
  summary: 'List the backlinks of a file of a change request',
  params: changeRequestPaths.file,
  access: changeRequestContent,
  ...fileBacklinks,
})
