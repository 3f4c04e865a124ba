import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { TokenRow, UserRow } from '../tables/rows.ts'

/** Returns the token with this SHA-256, whatever its state. */
export const findTokenByHash = (store: Store, hash: string): TokenRow | undefined =>
  store.get(query.selectFrom('token').selectAll().where('hash', '=', hash))

/** A recursive table `tree`: the ids of a token and of the tokens that descend from it. */
const treeOf = (id: string) => sql`
  tree(id) as (
    select ${id} union select token.id from token join tree on token.parent_id = tree.id
  )`

type TokenList = {
  userId: string
  /** Lists this token and its descendants only. */
  under?: string | undefined
}

/** Returns a user's tokens that are not revoked, newest first: `limit` of them, from below `before`. */
export const listTokens = (
  store: Store,
  { userId, under }: TokenList,
  limit: number,
  before?: number,
): TokenRow[] => {
  const within =
    under === undefined ? sql`` : sql`and id in (with recursive ${treeOf(under)} select id from tree)`
  const earlier = before === undefined ? sql`` : sql`and seq < ${before}`
  return store.all(
    sqlRows<TokenRow>(sql`
      select * from token where user_id = ${userId} and revoked_at is null ${within} ${earlier}
      order by seq desc limit ${limit}`),
  )
}

/** Returns every token with the name of its user, oldest first: for the operator. */
export const listAllTokens = (store: Store): (TokenRow & Pick<UserRow, 'display_name'>)[] =>
  store.all(
    query
      .selectFrom('token')
      .innerJoin('user', 'user.id', 'token.user_id')
      .selectAll('token')
      .select('user.display_name')
      .orderBy('token.seq'),
  )

/** Returns how many tokens of a user can be used at a time. */
export const countLiveTokens = (store: Store, userId: string, at: string): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select count(*) as count from token
      where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${at})`),
  )?.count ?? 0

/** Adds a token. */
export const insertToken = (
  store: Store,
  row: Pick<TokenRow, 'id' | 'user_id' | 'name' | 'hash' | 'created_at' | 'expires_at'> & Partial<TokenRow>,
): TokenRow => store.get(query.insertInto('token').values(row).returningAll()) as TokenRow

/**
 * Makes a token and its descendants unusable from now on. Returns the ids of those that were in use, none when there is no
 * such token (of this user) in use.
 */
export const revokeToken = (store: Store, id: string, at: string, userId?: string): string[] => {
  const owner = userId === undefined ? sql`` : sql`and user_id = ${userId}`
  return store
    .all(
      sqlRows<{ id: string }>(sql`
        update token set revoked_at = ${at}
        where revoked_at is null ${owner} and id in (with recursive ${treeOf(id)} select id from tree)
        returning id`),
    )
    .map(row => row.id)
}

/** Makes all tokens of a user unusable from now on. Returns how many were in use. */
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

/** Returns whether a token is another one or descends from it. */
export const descendsFrom = (store: Store, id: string, ancestorId: string): boolean =>
  store.get(sqlRows(sql`with recursive ${treeOf(ancestorId)} select id from tree where id = ${id}`)) !==
  undefined
