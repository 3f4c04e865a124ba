import { z } from 'zod'
import { changeRequest } from '../../access/guards/change-request.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { newCommits } from '../../actions/reviewing/commits.ts'
import type { Context } from '../../context.ts'
import { asOid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { Live, type LiveState, page } from '../frame/page.ts'
import { requestPath } from './paths.ts'

const Query = z.object({
  revision: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
    .transform(asOid),
  status: z.enum(['draft', 'open', 'archived', 'merged']),
})

/** Returns the path of the stream that tells what happens to a change request from now on. */
export const livePath = (request: ChangeRequestRow): string =>
  `${requestPath(request)}/live?revision=${request.revision}&status=${request.status}`

/** Tells pages of a change request that its branch or its status has changed. */
export const liveRequest = page({
  path: '/s/:spaceId/changes/:changeRequestId/live',
  scope: 'change-requests:read',
  access: changeRequest('read'),
  query: Query,
  load: ({ ctx, changeRequest: row, query }) => {
    let known: { revision: string; text: string } | undefined
    return new Live(async (): Promise<LiveState> => {
      const found = findChangeRequest(ctx.store, row.space_id, row.id)
      if (!found) return { text: 'The space was deleted.' }
      const now = await currentChangeRequest(ctx, found)
      if (known?.revision !== now.revision)
        known = { revision: now.revision, text: await commitsSince(ctx, now, query.revision) }
      const text = [known.text, statusSince(now, query.status)].filter(Boolean).join(' ')
      return text === '' ? { text } : { text, again: 'Show' }
    })
  },
  view: () => ({ title: '', body: null }),
})

async function commitsSince(
  ctx: Context,
  now: ChangeRequestRow,
  seen: ChangeRequestRow['revision'],
): Promise<string> {
  const count = await newCommits(ctx, now, seen)
  if (count === undefined) return 'The branch leads to other commits now.'
  return count === 0 ? '' : count === 1 ? '1 new commit.' : `${count} new commits.`
}

const sentences: Record<string, string> = {
  merged: 'It was merged.',
  archived: 'It was closed.',
  open: 'It is open.',
  draft: 'It is a draft.',
}

const statusSince = ({ status }: ChangeRequestRow, seen: string): string =>
  status === seen ? '' : (sentences[status] ?? '')
