import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoCodeRow } from '../tables/rows.ts'

/** Inserts an unused one-time code. */
export const insertCode = (store: Store, row: Omit<SsoCodeRow, 'token_id'>): number =>
  store.run(query.insertInto('sso_code').values({ ...row, token_id: null }))

/** Returns the one-time code with this SHA-256 that has not expired, used or not. */
export const findCode = (store: Store, hash: string, at: string): SsoCodeRow | undefined =>
  store.get(
    query.selectFrom('sso_code').selectAll().where('hash', '=', hash).where('expires_at', '>', at),
  )

/**
 * Marks an unused code as exchanged for a token. It then stays until `expires_at`. Returns false
 * without changes for a used code.
 */
export const useCode = (
  store: Store,
  hash: string,
  set: { token_id: string; expires_at: string },
): boolean =>
  store.run(
    query.updateTable('sso_code').set(set).where('hash', '=', hash).where('token_id', 'is', null),
  ) > 0
