import { space } from '../../../access/guards/space.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { listOf } from '../../../http/list.ts'
import { SpacePath } from '../../base/paths-schema.ts'
import { listRevisions } from './list.ts'
import { RevisionSummary, RevisionsQuery } from './schema.ts'

const Revisions = listOf(RevisionSummary)

export const listRevisionsOfSpace = endpoint({
  operationId: 'listRevisionsOfSpace',
  summary: 'List the published revisions of a space, newest first',
  description:
    'Returns the published revisions, one after the other: the first parents of the primary content. Where the server has recorded another published predecessor, as for an export or a merge whose first parent is another history, that one follows. With `path`, or with the id of a page in `page`, only revisions that changed this file are returned, also under its former names.',
  params: SpacePath,
  query: selecting(RevisionsQuery, Revisions),
  reply: Revisions,
  access: space('read'),
  handle: ({ ctx, space, query }) => listRevisions(ctx, space, query),
})
