import type { Request } from 'express'
import type { Actor, Idempotency } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findAnswer, type KeptAnswer, keepAnswer } from '../store/events/idempotency.ts'

/**
 * Returns the caller's Idempotency-Key with a hash of the request; undefined without one. Only POST
 * has one.
 */
export function idempotencyOf(req: Request, actor: Actor, bytes: Buffer): Idempotency | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined || req.method !== 'POST' || actor.type !== 'user') return undefined

  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw invalid(
      'The header "Idempotency-Key" takes 1 to 200 printable characters without spaces.',
    )
  }

  const asked = Buffer.concat([Buffer.from(`${req.method} ${req.originalUrl}\n`), bytes])
  return { key, userId: actor.user.id, requestHash: sha256(asked) }
}

type Answered = Required<Pick<KeptAnswer, 'status' | 'headers'>> & { body: string | undefined }

/**
 * Returns the answer that this key got within the last 24 hours. Throws 'conflict' when the key was
 * used for another request.
 */
export function answerBefore(ctx: Context, idempotency: Idempotency): Answered | undefined {
  const row = findAnswer(ctx.store, idempotency, ctx.destroyWait() > 0 ? null : ctx.now())
  if (!row) return undefined

  if (row.request_hash !== idempotency.requestHash) {
    throw new Fault(
      'key_reused',
      'This Idempotency-Key was already used for another request. Use a new key.',
    )
  }

  return { status: row.status, body: row.body ?? undefined, headers: row.headers ?? {} }
}

/**
 * Stores the answer for repeats of the key. Returns the answer to send: where a journaled operation
 * stored one, that one stays and is sent, because rows that it shows may have changed meanwhile.
 */
export function rememberAnswer(ctx: Context, idempotency: Idempotency, answer: Answered): Answered {
  keepAnswer(ctx.store, idempotency, answer, ctx.now())
  const kept = answerBefore(ctx, idempotency)
  return kept ? { ...kept, headers: { ...answer.headers, ...kept.headers } } : answer
}
