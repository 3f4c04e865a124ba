import type { RequestFacts } from '../../../access/asker.ts'
import type { PublishedGrant } from '../../../access/guards/content.ts'
import { pageById, pageByPath } from '../../../actions/audience/find-page.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import type { Context } from '../../../context.ts'
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
    'The whole content in one answer: page tree, files, reusable content and variables. The texts of pages come with `format=markdown`. A space of many pages is read faster in parts: `…/pages`, `…/files` and `…/page/{pageId}`.',
  query: TreeQuery,
  reply: Revision,
  computes: true,
  handle: async (asked: ContentRequest<object, Tree>) =>
    answerRevision(await openShown(asked, { files: true }), queryOf(asked)),
}

export const readPages = {
  description:
    'The pages in the order of the table of contents, each with the pages below it in `pages`. The texts come with `format=markdown`.',
  query: TreeQuery,
  reply: PageList,
  computes: true,
  handle: async (asked: ContentRequest<object, Tree>) =>
    answerPages(await openShown(asked), queryOf(asked)),
}

export const readFiles = {
  description: 'Images and other files that are no pages, with the addresses of their bytes.',
  query: FilesQuery,
  reply: RevisionFiles,
  computes: true,
  handle: async (asked: ContentRequest<object, Files>) =>
    answerFiles(await openFiles(asked), queryOf(asked)),
}

export const readFile = {
  description: 'What is known of the file; `downloadURL` is the address of its bytes.',
  query: MetadataQuery,
  reply: RevisionFile,
  computes: true,
  handle: async (asked: ContentRequest<{ fileId: string }, Metadata>) =>
    answerFile(await openFiles(asked), asked.params.fileId, queryOf(asked).metadata),
}

export const readPage = {
  query: PageQuery,
  reply: RevisionPage,
  computes: true,
  description:
    '`markdown` is the text of the page exactly as in Git, including front matter; writing it back changes nothing. With `evaluated`, it is the text as a reader sees it. With a reading token, it is always the text that the reader is shown: evaluated with the claims of the token, without front matter.',
  handle: async (asked: ContentRequest<{ pageId: string }, PageAsked>) => {
    const open = await openShown(asked)
    return answerPage(open, pageById(open.shown.content, asked.params.pageId), queryOf(asked))
  },
}

export const readPageByPath = {
  query: PageQuery,
  reply: RevisionPage,
  computes: true,
  description:
    'Returns a page of the tree by its path, or by one that it had before; `readme` is the landing page. `markdown` is as for a page read by id.',
  handle: async (asked: ContentRequest<{ pagePath: string }, PageAsked>) => {
    const open = await openShown(asked)
    return answerPage(open, await pageByPath(open, asked.params.pagePath), queryOf(asked))
  },
}

export const readReusableContent = {
  description: 'A text that pages include, as Markdown.',
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
