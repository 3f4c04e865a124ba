import type { IdempotencyRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** The answer that this caller's key got, if it was used. */
export const findIdempotency = (store: Store, userId: string, key: string): IdempotencyRow | undefined =>
  store.get(query.selectFrom('idempotency').selectAll().where('user_id', '=', userId).where('key', '=', key))

/** Keeps an answer under its key for a day; the first one stays as long. */
export const insertIdempotency = (store: Store, row: IdempotencyRow): number =>
  store.run(
    query
      .insertInto('idempotency')
      .values(row)
      .onConflict(conflict =>
        conflict
          .columns(['user_id', 'key'])
          .doUpdateSet(row)
          .where('idempotency.created_at', '<', dayBefore(row.created_at)),
      ),
  )

const dayBefore = (time: string): string => new Date(Date.parse(time) - 24 * 60 * 60 * 1000).toISOString()

/** Forgets the answers given before `time`; how many there were. */
export const deleteIdempotencyBefore = (store: Store, time: string): number =>
  store.run(query.deleteFrom('idempotency').where('created_at', '<', time))
