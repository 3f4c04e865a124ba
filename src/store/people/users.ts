import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { UserRow } from '../tables/rows.ts'

/** Returns the user with this id. */
export const findUser = (store: Store, id: string): UserRow | undefined =>
  store.get(query.selectFrom('user').selectAll().where('id', '=', id))

/** Returns the user with this e-mail address, in any case. */
export const findUserByEmail = (store: Store, email: string): UserRow | undefined =>
  store.get(query.selectFrom('user').selectAll().where('email', '=', email))

/** Returns the ids of the users with these e-mail addresses, by lower-case address. */
export const findUserIdsByEmail = (store: Store, emails: readonly string[]): Map<string, string> =>
  new Map(
    store
      .all(
        sqlRows<{ id: string; email: string }>(
          sql`select id, email from user where email in (select value from json_each(${JSON.stringify(emails)}))`,
        ),
      )
      .map(row => [row.email.toLowerCase(), row.id]),
  )

/** Returns the users with these ids, by id. */
export const findUsers = (store: Store, ids: readonly string[]): Map<string, UserRow> =>
  new Map(
    ids.length === 0
      ? []
      : store
          .all(
            // A single bound value: a statement has a limit on their number.
            sqlRows<UserRow>(
              sql`select * from user where id in (select value from json_each(${JSON.stringify([...new Set(ids)])}))`,
            ),
          )
          .map(row => [row.id, row]),
  )

/**
 * Returns the users with these ids, by id, as a viewer sees them (undefined: as a guest does). E-mail addresses are
 * null, except the viewer's own and those in an organization where the viewer is a member and not a guest.
 */
export function findShownUsers(
  store: Store,
  viewerId: string | undefined,
  ids: readonly string[],
): Map<string, UserRow> {
  const users = findUsers(store, ids)
  if (users.size === 0) return users
  const open = new Set(
    store
      .all(
        sqlRows<{ user_id: string }>(sql`
          select distinct theirs.user_id from json_each(${JSON.stringify([...users.keys()])}) as named
          cross join member as theirs on theirs.user_id = named.value
          cross join member as mine on mine.user_id = ${viewerId ?? ''}
            and mine.organization_id = theirs.organization_id
          where mine.disabled = 0 and mine.role is not null`),
      )
      .map(row => row.user_id),
  )
  const shows = (id: string) => id === viewerId || open.has(id)
  return new Map([...users].map(([id, row]) => [id, shows(id) ? row : { ...row, email: null }]))
}

/** Returns every user, oldest first. */
export const listUsers = (store: Store): UserRow[] =>
  store.all(query.selectFrom('user').selectAll().orderBy('seq'))

/** Inserts a user. */
export const insertUser = (
  store: Store,
  row: Pick<UserRow, 'id' | 'display_name' | 'email' | 'created_at'> & Partial<UserRow>,
): UserRow =>
  store.get(
    query
      .insertInto('user')
      .values({ photo_url: null, ...row })
      .returningAll(),
  ) as UserRow

/** Updates a user. Returns the new row. */
export const updateUser = (
  store: Store,
  id: string,
  set: Partial<Pick<UserRow, 'display_name' | 'photo_url'>>,
): UserRow | undefined => store.get(query.updateTable('user').set(set).where('id', '=', id).returningAll())

/** Returns the ids of the organizations that two users share and whose membership is not disabled for the first. */
export const listSharedOrganizations = (store: Store, userId: string, otherId: string): string[] =>
  store
    .all(
      query
        .selectFrom('member as mine')
        .innerJoin('member as theirs', 'theirs.organization_id', 'mine.organization_id')
        .select('mine.organization_id')
        .where('mine.user_id', '=', userId)
        .where('mine.disabled', '=', 0)
        .where('theirs.user_id', '=', otherId),
    )
    .map(row => row.organization_id)
