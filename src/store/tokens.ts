import type { TokenRow, UserRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** The token with this SHA-256, whatever its state. */
export const findTokenByHash = (store: Store, hash: string): TokenRow | undefined =>
  store.get(query.selectFrom('token').selectAll().where('hash', '=', hash))

/** A user's tokens that were not revoked, newest first, `limit` from below `before`. */
export const listTokens = (store: Store, userId: string, limit: number, before?: number): TokenRow[] => {
  let select = query
    .selectFrom('token')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** Every token with the user it belongs to, oldest first: for the operator. */
export const listAllTokens = (store: Store): (TokenRow & Pick<UserRow, 'display_name'>)[] =>
  store.all(
    query
      .selectFrom('token')
      .innerJoin('user', 'user.id', 'token.user_id')
      .selectAll('token')
      .select('user.display_name')
      .orderBy('token.seq'),
  )

/** Adds a token. */
export const insertToken = (
  store: Store,
  row: Pick<TokenRow, 'id' | 'user_id' | 'name' | 'hash' | 'created_at' | 'expires_at'>,
): TokenRow => store.get(query.insertInto('token').values(row).returningAll()) as TokenRow

/** Makes a token unusable from now on; false when there is no such token in use. */
export const revokeToken = (store: Store, id: string, at: string, userId?: string): boolean => {
  let update = query
    .updateTable('token')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
  if (userId !== undefined) update = update.where('user_id', '=', userId)
  return store.run(update) > 0
}

/** Makes all tokens of a user unusable from now on; how many there were in use. */
export const revokeTokensOf = (store: Store, userId: string, at: string): number =>
  store.run(
    query
      .updateTable('token')
      .set({ revoked_at: at })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null),
  )

/** Notes that a token was used. */
export const touchToken = (store: Store, id: string, at: string): number =>
  store.run(query.updateTable('token').set({ last_used_at: at }).where('id', '=', id))
