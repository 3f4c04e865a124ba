import { publishedRevision } from '../../access/guards/content.ts'
import { space } from '../../access/guards/space.ts'
import { endpoint } from '../../http/endpoint.ts'
import {
  readFile,
  readFiles,
  readPage,
  readPageByPath,
  readPages,
  readReusableContent,
  readRevision,
} from '../content/operations.ts'
import { revisionPaths, spacePaths } from '../content/schema.ts'
import { listRevisions } from './list.ts'
import { Revisions, RevisionsQuery } from './schema.ts'

export const listRevisionsOfSpace = endpoint({
  operationId: 'listRevisionsOfSpace',
  summary: 'List the published revisions of a space, newest first',
  description:
    'The published revisions, one after the other: the first-parent line of the primary content, except where the server recorded another published predecessor, as for an export and for a merge whose first parent is another history. With `path`, or a page id in `page`, only revisions that changed that file, following renames.',
  params: spacePaths.scope,
  query: RevisionsQuery,
  reply: Revisions,
  access: space('read'),
  handle: ({ ctx, space, query }) => listRevisions(ctx, space, query),
})

export const getRevisionById = endpoint({
  operationId: 'getRevisionById',
  summary: 'Get a revision with its content',
  params: revisionPaths.scope,
  access: publishedRevision,
  readers: true,
  ...readRevision,
})

export const listPagesInRevisionById = endpoint({
  operationId: 'listPagesInRevisionById',
  summary: 'Get the page tree of a revision',
  params: revisionPaths.scope,
  access: publishedRevision,
  readers: true,
  ...readPages,
})

export const listFilesInRevisionById = endpoint({
  operationId: 'listFilesInRevisionById',
  summary: 'List the files of a revision',
  params: revisionPaths.scope,
  access: publishedRevision,
  readers: true,
  ...readFiles,
})

export const getFileInRevisionById = endpoint({
  operationId: 'getFileInRevisionById',
  summary: 'Get a file of a revision',
  params: revisionPaths.file,
  access: publishedRevision,
  readers: true,
  ...readFile,
})

export const getPageInRevisionById = endpoint({
  operationId: 'getPageInRevisionById',
  summary: 'Get a page of a revision with its text',
  params: revisionPaths.page,
  access: publishedRevision,
  readers: true,
  ...readPage,
})

export const getPageInRevisionByPath = endpoint({
  operationId: 'getPageInRevisionByPath',
  summary: 'Get a page of a revision by its path',
  params: revisionPaths.path,
  access: publishedRevision,
  readers: true,
  ...readPageByPath,
})

export const getReusableContentInRevisionById = endpoint({
  operationId: 'getReusableContentInRevisionById',
  summary: 'Get reusable content of a revision',
  params: revisionPaths.reusableContent,
  access: publishedRevision,
  readers: true,
  ...readReusableContent,
})
