import { changeRequest } from '../../../access/guards/change-request.ts'
import { revisionContent } from '../../../access/guards/content.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { ChangeRequestPath } from '../../base/paths-schema.ts'
import { revisionPaths } from '../schema.ts'
import { answerChangesOfRequest, answerChangesOfRevision } from './changes.ts'
import { Changes, ChangesQuery } from './changes-schema.ts'

const byId =
  'Pages and files are matched by id, so a moved or renamed page is one change. A page that only has a new position among its siblings counts as moved, with the same parent before and after. `document` has the ids of the Git blobs with the text.'

export const getChangeRequestChanges = endpoint({
  operationId: 'getChangeRequestChanges',
  summary: 'Get the changes of a change request',
  description: `Compares the change request with the primary content that it started from or was last updated with. ${byId}`,
  params: ChangeRequestPath,
  query: selecting(ChangesQuery, Changes),
  reply: Changes,
  computes: true,
  access: changeRequest('read'),
  handle: async ({ ctx, space, user, role, changeRequest, query, request }) => {
    const scope = { kind: 'change-request' as const, request: changeRequest }
    const open = await openContent(ctx, { space, user, role, scope }, { request })
    return answerChangesOfRequest(open, changeRequest, query)
  },
})

export const getRevisionSemanticChanges = endpoint({
  operationId: 'getRevisionSemanticChanges',
  summary: 'Get the changes of a revision against its parent',
  description: `Compares the revision with its first parent: for a merge, the changes that the merge brought in. ${byId}`,
  params: revisionPaths.scope,
  query: selecting(ChangesQuery, Changes),
  reply: Changes,
  computes: true,
  access: revisionContent,
  handle: async ({ ctx, space, user, role, scope, query, request }) =>
    answerChangesOfRevision(
      await openContent(ctx, { space, user, role, scope }, { request }),
      query,
    ),
})
