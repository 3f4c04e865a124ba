import type { IdempotencyRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** The answer that this caller's key got, if it was used. */
export const findIdempotency = (store: Store, userId: string, key: string): IdempotencyRow | undefined =>
  store.get(query.selectFrom('idempotency').selectAll().where('user_id', '=', userId).where('key', '=', key))

/** Keeps an answer under its key; the first one stays. */
export const insertIdempotency = (store: Store, row: IdempotencyRow): number =>
  store.run(
    query
      .insertInto('idempotency')
      .values(row)
      .onConflict(conflict => conflict.doNothing()),
  )

/** Forgets the answers given before `time`; how many there were. */
export const deleteIdempotencyBefore = (store: Store, time: string): number =>
  store.run(query.deleteFrom('idempotency').where('created_at', '<', time))
