import { changeRequestContent } from '../../../access/guards/content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { changeRequestPaths } from '../schema.ts'
import {
  readFile,
  readFiles,
  readPage,
  readPageByPath,
  readPages,
  readReusableContent,
  readRevision,
} from './operations.ts'

export const getRevisionOfChangeRequestById = endpoint({
  operationId: 'getRevisionOfChangeRequestById',
  summary: 'Get the content of a change request',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...readRevision,
})

export const listPagesInChangeRequest = endpoint({
  operationId: 'listPagesInChangeRequest',
  summary: 'Get the page tree of a change request',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...readPages,
})

export const listFilesInChangeRequestById = endpoint({
  operationId: 'listFilesInChangeRequestById',
  summary: 'List the files of a change request',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...readFiles,
})

export const getFileInChangeRequestById = endpoint({
  operationId: 'getFileInChangeRequestById',
  summary: 'Get a file of a change request',
  params: changeRequestPaths.file,
  access: changeRequestContent,
  ...readFile,
})

export const getPageInChangeRequestById = endpoint({
  operationId: 'getPageInChangeRequestById',
  summary: 'Get a page of a change request with its text',
  params: changeRequestPaths.page,
  access: changeRequestContent,
  ...readPage,
})

export const getPageInChangeRequestByPath = endpoint({
  operationId: 'getPageInChangeRequestByPath',
  summary: 'Get a page of a change request by its path',
  params: changeRequestPaths.path,
  access: changeRequestContent,
  ...readPageByPath,
})

export const getReusableContentInChangeRequestById = endpoint({
  operationId: 'getReusableContentInChangeRequestById',
  summary: 'Get reusable content of a change request',
  params: changeRequestPaths.reusableContent,
  access: changeRequestContent,
  ...readReusableContent,
})
