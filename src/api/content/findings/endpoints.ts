import type { RequestFacts } from '../../../access/asker.ts'
import {
  type ContentGrant,
  changeRequestContent,
  primaryContent,
  revisionContent,
} from '../../../access/guards/content.ts'
import { openContent } from '../../../actions/audience/open-content.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { changeRequestPaths, revisionPaths, spacePaths } from '../schema.ts'
import { answerFindings } from './read.ts'
import { ChangeRequestFindingsQuery, Findings, FindingsQuery } from './schema.ts'

type FindingsRequest = ContentGrant & {
  ctx: Context
  request: RequestFacts
  query: Parameters<typeof answerFindings>[2]
}

const findings = {
  description:
    'Returns the problems of the content, sorted by file and line: lines of the table of contents that cannot be read, Markdown files without an entry in it, broken links and anchors, redirects to missing pages, unknown keys and tags, blocks without an end, conflict markers, pointers of Git LFS, and syntax and settings of other tools. At most 10,000 findings are listed. A page has at most one finding for each syntax of another tool.',
  query: selecting(FindingsQuery, Findings),
  reply: Findings,
  computes: true,
  handle: async (asked: FindingsRequest) => {
    const { user, scope } = asked
    const changeRequest = scope.kind === 'change-request' ? scope.request : undefined
    const open = await openContent(asked.ctx, asked, asked)
    return answerFindings(open, { user, changeRequest }, asked.query)
  },
}

export const listSpaceFindings = endpoint({
  operationId: 'listSpaceFindings',
  summary: 'List what is not understood in a space, or leads nowhere',
  params: spacePaths.scope,
  access: primaryContent,
  ...findings,
})

export const listChangeRequestFindings = endpoint({
  operationId: 'listChangeRequestFindings',
  summary: 'List what is not understood in a change request, or leads nowhere',
  params: changeRequestPaths.scope,
  access: changeRequestContent,
  ...findings,
  query: selecting(ChangeRequestFindingsQuery, Findings),
})

export const listRevisionFindings = endpoint({
  operationId: 'listRevisionFindings',
  summary: 'List what is not understood in a revision, or leads nowhere',
  params: revisionPaths.scope,
  access: revisionContent,
  ...findings,
})
