import type { RequestFacts } from '../../../access/asker.ts'
import type { PublishedGrant } from '../../../access/guards/content.ts'
import { pageById, pageByPath } from '../../../actions/audience/find-page.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import type { Context } from '../../../context.ts'
import { selecting } from '../../../http/fields.ts'
import { answerFile, answerFiles } from '../files/read.ts'
import { FilesQuery, RevisionFile, RevisionFiles } from '../files/schema.ts'
import { answerPage, type PageAsked } from '../read-page.ts'
import { answerPages, answerReusableContent } from '../read-tree.ts'
import { answerRevision } from '../revisions/read.ts'
import { Revision } from '../revisions/schema.ts'
import {
  MetadataQuery,
  PageList,
  PageQuery,
  PathQuery,
  ReusableContent,
  RevisionPage,
  TreeQuery,
} from '../schema.ts'

type ContentRequest<Params, Query> = PublishedGrant & {
  ctx: Context
  params: Params
  query: Query
  request: RequestFacts
}
type Metadata = { metadata?: boolean | undefined; computed?: boolean | undefined }
type Tree = Metadata & { format?: 'markdown' | 'document' | undefined }
type Files = Metadata & { page?: string | undefined; limit?: number | undefined }

/** Opens content with its computed entries expanded, unless the query says otherwise. */
const openShown = (asked: ContentRequest<object, Metadata>, { files = false } = {}) =>
  openContent(asked.ctx, asked, {
    computed: asked.query.computed !== false,
    files,
    request: asked.request,
  })

/** Opens content for its files or reusable content. */
const openFiles = (asked: ContentRequest<object, Metadata>) =>
  openContent(asked.ctx, asked, { files: true, request: asked.request })

/**
 * Returns the query. The objects in Git that pages and files come from are not shown to readers.
 */
const queryOf = <Query extends Metadata>({
  query,
  reader,
}: ContentRequest<object, Query>): Query => (reader ? { ...query, metadata: false } : query)

/**
 * The read operations on content, shared by the primary content, change requests and revisions. An
 * endpoint adds its name, path and guard.
 */
export const readRevision = {
  description:
    'Returns the page tree, the files, the reusable content and the variables in one answer. Texts of pages are included only with `format=markdown`. For a space with many pages, smaller requests are faster: `…/pages`, `…/files` and `…/page/{pageId}`.',
  query: selecting(TreeQuery, Revision),
  reply: Revision,
  computes: true,
  handle: async (asked: ContentRequest<object, Tree>) =>
    answerRevision(await openShown(asked, { files: true }), queryOf(asked)),
}

export const readPages = {
  description:
    'Returns the pages in the order of the table of contents. `pages` of each page contains its subpages. Texts are included only with `format=markdown`.',
  query: selecting(TreeQuery, PageList),
  reply: PageList,
  computes: true,
  handle: async (asked: ContentRequest<object, Tree>) =>
    answerPages(await openShown(asked), queryOf(asked)),
}

export const readFiles = {
  description:
    'Returns the images and other files that are not pages. `downloadURL` of each file is the address of its bytes.',
  query: selecting(FilesQuery, RevisionFiles),
  reply: RevisionFiles,
  computes: true,
  handle: async (asked: ContentRequest<object, Files>) =>
    answerFiles(await openFiles(asked), queryOf(asked)),
}

export const readFile = {
  description:
    'Returns the name, the media type and the size of the file. `downloadURL` is the address of its bytes.',
  query: MetadataQuery,
  reply: RevisionFile,
  computes: true,
  handle: async (asked: ContentRequest<{ fileId: string }, Metadata>) =>
    answerFile(await openFiles(asked), asked.params.fileId, queryOf(asked).metadata),
}

export const readPage = {
  query: selecting(PageQuery, RevisionPage),
  reply: RevisionPage,
  computes: true,
  description:
    'Returns the page with its text. `markdown` is the file as in Git, byte for byte, with its front matter: writing it back changes nothing. With `evaluated=true`, `markdown` is the text that readers see: expressions and conditions are replaced by their results; `dereferenced=true` also puts reusable content in its place. A reading token always gets the text for its reader: evaluated with the claims of the token, without front matter.',
  handle: async (asked: ContentRequest<{ pageId: string }, PageAsked>) => {
    const open = await openShown(asked)
    return answerPage(open, pageById(open.shown.content, asked.params.pageId), queryOf(asked))
  },
}

export const readPageByPath = {
  query: selecting(PathQuery, RevisionPage),
  reply: RevisionPage,
  computes: true,
  description:
    'Returns the same as reading the page by its id. The path is the path of a page in the tree, without a slash at the start; `readme` is the landing page. A former path of a page also works.',
  handle: async (asked: ContentRequest<{ pagePath: string }, PageAsked>) => {
    const open = await openShown(asked)
    return answerPage(open, await pageByPath(open, asked.params.pagePath), queryOf(asked))
  },
}

export const readReusableContent = {
  description: 'Returns a text that pages include, as Markdown.',
  query: MetadataQuery,
  reply: ReusableContent,
  computes: true,
  handle: async (asked: ContentRequest<{ reusableContentId: string }, Metadata>) =>
    answerReusableContent(
      await openFiles(asked),
      asked.params.reusableContentId,
      queryOf(asked).metadata,
    ),
}
