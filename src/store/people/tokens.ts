import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { TokenRow, UserRow } from '../tables/rows.ts'

const tokens = new Rows('token')

/** Returns the token with this SHA-256, in any state. */
export const findTokenByHash = tokens.find('hash')

/** Returns the token with this id, in any state. */
export const findToken = tokens.find('id')

/** Returns SQL for a recursive table `tree`: the ids of a token and its descendants. */
const treeOf = (id: string) => sql`
  tree(id) as (
    select ${id} union select token.id from token join tree on token.parent_id = tree.id
  )`

type TokenList = {
  userId: string
  /** Limits the list to this token and its descendants. */
  under?: string | undefined
}

/**
 * The condition for a token that a user has created for themselves: tokens of integrations are not
 * listed or counted.
 */
const ofUsers = sql`and installation_id is null and integration_id is null`

/** Returns up to `limit` tokens of a user below `before` that are not revoked, newest first. */
export function listTokens(
  store: Store,
  { userId, under }: TokenList,
  limit: number,
  before?: number,
): TokenRow[] {
  const within =
    under === undefined
      ? sql``
      : sql`and id in (with recursive ${treeOf(under)} select id from tree)`
  const earlier = before === undefined ? sql`` : sql`and seq < ${before}`
  return store.all(
    sqlRows<TokenRow>(sql`
      select * from token where user_id = ${userId} and revoked_at is null ${ofUsers} ${within} ${earlier}
      order by seq desc limit ${limit}`),
  )
}

/** Returns every token with the name of its user, oldest first. For operators. */
export const listAllTokens = (store: Store): (TokenRow & Pick<UserRow, 'display_name'>)[] =>
  store.all(
    query
      .selectFrom('token')
      .innerJoin('user', 'user.id', 'token.user_id')
      .selectAll('token')
      .select('user.display_name')
      .orderBy('token.seq'),
  )

/** Returns the number of usable tokens of a user at a time. */
export const countLiveTokens = (store: Store, userId: string, at: string): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select count(*) as count from token
      where user_id = ${userId} and revoked_at is null ${ofUsers}
        and (expires_at is null or expires_at > ${at})`),
  )?.count ?? 0

/** Inserts a token. */
export const insertToken = tokens.insert

/**
 * Revokes a token and its descendants. Returns the ids of those that were usable; empty if this
 * user has no such usable token.
 */
export function revokeToken(store: Store, id: string, at: string, userId?: string): string[] {
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

/** Revokes all tokens of a user. Returns the number of those that were usable. */
export const revokeTokensOf = (store: Store, userId: string, at: string): number =>
  store.run(
    query
      .updateTable('token')
      .set({ revoked_at: at })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null),
  )

/** Returns whether a token is another one or its descendant. */
export const descendsFrom = (store: Store, id: string, ancestorId: string): boolean =>
  store.get(
    sqlRows(sql`with recursive ${treeOf(ancestorId)} select id from tree where id = ${id}`),
  ) !== undefined
