import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { IdempotencyRow } from '../tables/rows.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The idempotency key of a request, its user, and a hash of the request. */
export type AskedWith = { userId: string; key: string; requestHash: string }

/** A stored answer: the body as it was sent, headers by name. */
export type KeptAnswer = {
  status: number
  body?: string | undefined
  headers?: Record<string, string>
}

/**
 * Returns the answer that was stored for the key of a caller within the 24 hours before `now`
 * (null: at any time), with the hash of its request.
 */
export const findAnswer = (
  store: Store,
  { userId, key }: Pick<AskedWith, 'userId' | 'key'>,
  now: Date | null,
): IdempotencyRow | undefined =>
  store.get(
    query
      .selectFrom('idempotency')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('created_at', '>=', now === null ? '' : dayBefore(now)),
  )

/** Stores an answer under its key for a day. A stored answer is not replaced within that day. */
export function keepAnswer(store: Store, to: AskedWith, answer: KeptAnswer, at: Date): void {
  const { status, body = null, headers = {} } = answer
  const row = {
    user_id: to.userId,
    key: to.key,
    request_hash: to.requestHash,
    status,
    body,
    headers: Object.keys(headers).length > 0 ? headers : null,
    created_at: at.toISOString(),
  }

  store.run(
    query
      .insertInto('idempotency')
      .values(row)
      .onConflict(conflict =>
        conflict
          .columns(['user_id', 'key'])
          .doUpdateSet(row)
          .where('idempotency.created_at', '<', dayBefore(at)),
      ),
  )
}

const dayBefore = (time: Date): string => new Date(time.getTime() - dayMs).toISOString()

/**
 * Deletes up to `limit` answers that have expired at `now`, the oldest first. Returns the number of
 * deleted rows.
 */
export const deleteOldAnswers = (store: Store, now: Date, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from idempotency where (user_id, key) in (
        select user_id, key from idempotency where created_at < ${dayBefore(now)}
        order by created_at limit ${limit})`),
  )
