import type { Response } from 'express'
import type { Context } from '../context.ts'
import { errorPacket } from '../git/protocol/packets.ts'
import { ProtocolError, ProtocolRefusal } from '../git/protocol/protocol-error.ts'
import { isGitError } from '../git/values/errors.ts'
import { describeError, failureOf } from '../http/faults.ts'
import { countRefusal } from '../metrics.ts'
import { sendAnswer, sendSentence } from './answer.ts'
import type { Transfer } from './record.ts'
import { tooManyTransfers } from './turns.ts'

/** Called for an answer with status 401. */
type NoteAuthFailure = (requestId: string, reason: string | undefined) => void

/**
 * Answers a request that failed. A response that has begun is cut, so that the client does not take
 * it for whole.
 */
export function refuse(
  ctx: Context,
  res: Response,
  error: unknown,
  { spaceId, noteAuthFailure }: { spaceId: string; noteAuthFailure: NoteAuthFailure },
): void {
  const requestId = String(res.locals.requestId ?? '')
  const transfer = res.locals.transfer as Transfer | undefined
  if (res.closed || res.destroyed) return
  if (transfer) transfer.refused = error instanceof Error ? error.message.slice(0, 200) : 'failed'

  if (res.headersSent) {
    ctx.log.warn({ id: requestId, space: spaceId, err: String(error) }, 'a git transfer broke off')
    res.destroy()
    return
  }

  if (error instanceof ProtocolRefusal)
    sendAnswer(res, 'upload-pack-result', errorPacket(error.message))
  else if (error instanceof ProtocolError)
    sendSentence(res, error.code === 'too_large' ? 413 : 400, error.message)
  else sendFailure(ctx, res, error, { spaceId, requestId, noteAuthFailure })
}

function sendFailure(
  ctx: Context,
  res: Response,
  error: unknown,
  {
    spaceId,
    requestId,
    noteAuthFailure,
  }: { spaceId: string; requestId: string; noteAuthFailure: NoteAuthFailure },
): void {
  const told = isGitError(error, 'busy') ? tooManyTransfers() : error
  const { status, headers, body, expected, refusal } = failureOf(told, spaceId)
  if (status === 401) noteAuthFailure(requestId, refusal?.label)
  else if (refusal) countRefusal(refusal.label)
  if (!expected)
    ctx.log.error({ id: requestId, space: spaceId, err: describeError(error) }, 'request failed')
  if (status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="Stemma", charset="UTF-8"')
  res.set(headers)
  const sentence = body.error.message

  sendSentence(res, status, status === 500 ? `${sentence} The request is ${requestId}.` : sentence)
}
