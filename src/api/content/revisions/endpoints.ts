import { space } from '../../../access/guards/space.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listOf } from '../../../http/list.ts'
import { SpacePath } from '../../base/paths-schema.ts'
import { listRevisions } from './list.ts'
import { RevisionSummary, RevisionsQuery } from './schema.ts'

export const listRevisionsOfSpace = endpoint({
  operationId: 'listRevisionsOfSpace',
  summary: 'List the published revisions of a space, newest first',
  description:
    'The published revisions, one after the other: the first-parent line of the primary content, except where the server recorded another published predecessor, as for an export and for a merge whose first parent is another history. With `path`, or a page id in `page`, only revisions that changed that file, following renames.',
  params: SpacePath,
  query: RevisionsQuery,
  reply: listOf(RevisionSummary),
  access: space('read'),
  handle: ({ ctx, space, query }) => listRevisions(ctx, space, query),
})
