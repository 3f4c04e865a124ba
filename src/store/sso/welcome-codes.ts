import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { WelcomeCodeRow } from '../tables/rows.ts'

const codes = new Rows('welcome_code')

/** Inserts a code. */
export const insertWelcomeCode = codes.insert

/** Returns the code with this SHA-256 that has not expired. */
export const findWelcomeCode = (
  store: Store,
  hash: string,
  at: string,
): WelcomeCodeRow | undefined =>
  store.get(
    query
      .selectFrom('welcome_code')
      .selectAll()
      .where('hash', '=', hash)
      .where('expires_at', '>', at),
  )

/** Deletes a code. Returns false if another request has used it. */
export const removeWelcomeCode = (store: Store, hash: string): boolean =>
  store.run(query.deleteFrom('welcome_code').where('hash', '=', hash)) > 0

/** Deletes all codes of a user but the newest `keep`. */
export const removeOldWelcomeCodes = (store: Store, userId: string, keep: number): number =>
  store.run(
    sqlRows(sql`
      delete from welcome_code where user_id = ${userId} and seq not in (
        select seq from welcome_code where user_id = ${userId}
        order by seq desc limit ${keep})`),
  )
