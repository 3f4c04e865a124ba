import { publishedContent } from '../../../access/guards/content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { spacePaths } from '../schema.ts'
import {
  readFile,
  readFiles,
  readPage,
  readPageByPath,
  readPages,
  readReusableContent,
  readRevision,
} from './operations.ts'

export const getCurrentRevision = endpoint({
  operationId: 'getCurrentRevision',
  summary: 'Get the published content of a space',
  params: spacePaths.scope,
  access: publishedContent,
  readers: true,
  ...readRevision,
})

export const listPages = endpoint({
  operationId: 'listPages',
  summary: 'Get the page tree of a space',
  params: spacePaths.scope,
  access: publishedContent,
  readers: true,
  ...readPages,
})

export const listFiles = endpoint({
  operationId: 'listFiles',
  summary: 'List the files of a space',
  params: spacePaths.scope,
  access: publishedContent,
  readers: true,
  ...readFiles,
})

export const getFileById = endpoint({
  operationId: 'getFileById',
  summary: 'Get a file of a space',
  params: spacePaths.file,
  access: publishedContent,
  readers: true,
  ...readFile,
})

export const getPageById = endpoint({
  operationId: 'getPageById',
  summary: 'Get a page of a space with its text',
  params: spacePaths.page,
  access: publishedContent,
  readers: true,
  ...readPage,
})

export const getPageByPath = endpoint({
  operationId: 'getPageByPath',
  summary: 'Get a page of a space by its path',
  params: spacePaths.path,
  access: publishedContent,
  readers: true,
  ...readPageByPath,
})

export const getReusableContentById = endpoint({
  operationId: 'getReusableContentById',
  summary: 'Get reusable content of a space',
  params: spacePaths.reusableContent,
  access: publishedContent,
  readers: true,
  ...readReusableContent,
})
