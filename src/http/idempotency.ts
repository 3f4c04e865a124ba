import type { Request } from 'express'
import type { Actor, Idempotency } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findAnswer, type KeptAnswer, keepAnswer } from '../store/events/idempotency.ts'

/** The caller's Idempotency-Key with a hash of what is asked; undefined where there is none. Only a POST has one. */
export function idempotencyOf(req: Request, actor: Actor, bytes: Buffer): Idempotency | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined || req.method !== 'POST' || actor.type !== 'user') return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw invalid('The header "Idempotency-Key" takes 1 to 200 printable characters without blanks.')
  }
  const asked = Buffer.concat([Buffer.from(`${req.method} ${req.originalUrl}\n`), bytes])
  return { key, userId: actor.user.id, requestHash: sha256(asked) }
}

type Answered = Required<Pick<KeptAnswer, 'status' | 'headers'>> & { body: string | undefined }

/** The answer this key got within the last 24 hours, to be given again. Throws when it was used for something else. */
export function answerBefore(ctx: Context, idempotency: Idempotency): Answered | undefined {
  const row = findAnswer(ctx.store, idempotency, ctx.destroyWait() > 0 ? null : ctx.now())
  if (!row) return undefined
  if (row.request_hash !== idempotency.requestHash) {
    throw new Fault('conflict', 'This Idempotency-Key was used for another request. Use a fresh key.')
  }
  const headers = row.headers === null ? {} : (JSON.parse(row.headers) as Record<string, string>)
  return { status: row.status, body: row.body ?? undefined, headers }
}

/** Keeps the answer for the next time the key is sent. What a journaled operation kept already stays. */
export const rememberAnswer = (ctx: Context, idempotency: Idempotency, answer: Answered): void =>
  keepAnswer(ctx.store, idempotency, answer, ctx.now())
