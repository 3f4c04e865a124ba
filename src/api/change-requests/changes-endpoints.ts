import { changeRequest } from '../../access/guards/change-request.ts'
import { revisionContent } from '../../access/guards/content.ts'
import { endpoint } from '../../http/endpoint.ts'
import { openContent } from '../content/open-content.ts'
import { revisionPaths } from '../content/schema.ts'
import { answerChangesOfRequest, answerChangesOfRevision } from './changes.ts'
import { Changes, ChangesQuery } from './changes-schema.ts'
import { ChangeRequestPath } from './schema.ts'

const byId =
  'Pages and files are told by their ids, so that one that moved or was renamed is one change. A page that only changed places with its siblings is moved too, with the same parent on both sides. `document` tells the blobs that hold the text.'

export const getChangeRequestChanges = endpoint({
  operationId: 'getChangeRequestChanges',
  summary: 'Get what a change request changes',
  description: `Against the primary content that it began from, or was last updated with. ${byId}`,
  params: ChangeRequestPath,
  query: ChangesQuery,
  reply: Changes,
  access: changeRequest('read'),
  handle: async ({ ctx, space, user, role, changeRequest, query, request }) => {
    const scope = { kind: 'change-request' as const, request: changeRequest }
    const open = await openContent(ctx, { space, user, role, scope }, { request })
    return answerChangesOfRequest(open, changeRequest, query)
  },
})

export const getRevisionSemanticChanges = endpoint({
  operationId: 'getRevisionSemanticChanges',
  summary: 'Get what a revision changes against its parent',
  description: `Against its first parent, so that a merge tells what it brought. ${byId}`,
  params: revisionPaths.scope,
  query: ChangesQuery,
  reply: Changes,
  access: revisionContent,
  handle: async ({ ctx, space, user, role, scope, query, request }) =>
    answerChangesOfRevision(await openContent(ctx, { space, user, role, scope }, { request }), query),
})
