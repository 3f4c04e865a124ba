import type { Store } from './store.ts'
import { query } from './store.ts'

/**
 * Returns when a user created the `nth` newest row of a table since a time; undefined if there are
 * fewer.
 */
export const findCreation = (
  store: Store,
  table: 'change_request' | 'space',
  userId: string,
  since: string,
  nth: number,
): string | undefined =>
  store.get(
    query
      .selectFrom(table as 'space')
      .select('created_at')
      .where('created_by', '=', userId)
      .where('created_at', '>', since)
      .orderBy('created_at', 'desc')
      .offset(nth - 1)
      .limit(1),
  )?.created_at
