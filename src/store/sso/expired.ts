import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'

/** The tables of rows that expire, with their keys. */
const expiring = {
  sso_request: ['id'],
  sso_code: ['hash'],
  sso_assertion: ['provider_id', 'assertion_id'],
  welcome_code: ['hash'],
  session: ['id'],
} as const

/**
 * Deletes up to `limit` rows of a table that had expired at a time. Returns the number of deleted
 * rows.
 */
export function deleteExpired(
  store: Store,
  table: keyof typeof expiring,
  at: string,
  limit: number,
): number {
  const key = sql.join(expiring[table].map(column => sql.ref(column)))
  return store.run(
    sqlRows(sql`
      delete from ${sql.table(table)} where (${key}) in (
        select ${key} from ${sql.table(table)} where expires_at <= ${at} order by expires_at limit ${limit})`),
  )
}
