import { publishedRevision } from '../../../access/guards/content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { revisionPaths } from '../schema.ts'
import {
  readFile,
  readFiles,
  readPage,
  readPageByPath,
  readPages,
  readReusableContent,
  readRevision,
} from './operations.ts'

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
