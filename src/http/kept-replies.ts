import type { IncomingMessage } from 'node:http'
import type { Actor } from '../access/asker.ts'
import { cacheSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { type Bytes, headersOf } from './endpoint.ts'
import { type Kept, keep } from './kept-answers.ts'
import { type Whose, whoseOf } from './limits/throttles.ts'
import { isEncodable, ReadyAnswer, variesByEncoding } from './sending/ready-answer.ts'

/** The replies of the API to single callers, by token and URL. */
export const replies = cacheSlot<Kept<{ answer: ReadyAnswer; whose: Whose }>>('replies')

/**
 * Keeps a reply to GET that tells how long it holds, but only for callers who sent a token. Returns
 * it in the form that is kept.
 */
export function keepReply(
  ctx: Context,
  req: IncomingMessage & { originalUrl: string },
  made: Bytes,
  { version, until, actor }: { version: number; until: number; actor: Actor },
): ReadyAnswer | undefined {
  const { bytes, etag, type, holds, scope } = made
  // The key has the token of a caller: a session has none.
  if (actor.type === 'anonymous' || req.headers.authorization === undefined) return undefined
  if (!holds || etag === undefined || !Buffer.isBuffer(bytes) || req.method !== 'GET')
    return undefined

  // A reader depends on the rows of their site, which concern its organization.
  const within =
    scope && actor.type === 'reader'
      ? { ...scope, organizationId: actor.site.organization_id }
      : scope
  const isEncoded = isEncodable({ bytes, type })
  const headers = { ...headersOf(made), ...(isEncoded && variesByEncoding) }
  const answer = new ReadyAnswer({ status: 200, etag, type, bytes, headers, isEncoded })

  keep(ctx.store, ctx.caches.get(replies), replyKey(req, req.originalUrl), {
    value: { answer, whose: whoseOf(actor) },
    size: answer,
    rows: { version, scope: within },
    until,
    holds,
  })

  return answer
}

/** Returns what of a request decides the reply to it. */
export const replyKey = ({ headers }: IncomingMessage, url = ''): string =>
  `${headers.authorization ?? ''}\n${url}`
