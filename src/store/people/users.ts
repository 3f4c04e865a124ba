import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { UserRow } from '../tables/rows.ts'

const users = new Rows('user')

/** Returns the user with this id. */
export const findUser = users.find('id')

/**
 * Returns the address of a user as far as it holds in an organization; null for one that another
 * organization asserts.
 */
export const emailIn = ({ email, asserted_by }: UserRow, organizationId: string): string | null =>
  asserted_by === null || asserted_by === organizationId ? email : null

/**
 * Returns the user whose e-mail address this is in an organization, in any case: the one for whom
 * the organization asserts it, or else the one who has it on the server.
 */
export const findUserByEmail = (
  store: Store,
  email: string,
  organizationId: string,
): UserRow | undefined =>
  store.get(
    sqlRows<UserRow>(sql`
      select * from "user" where lower(email) = lower(${email})
        and (asserted_by is null or asserted_by = ${organizationId})
      order by asserted_by nulls last limit 1`),
  )

/** Returns every user with this e-mail address, in any case and from any source. For operators. */
export const listUsersByEmail = (store: Store, email: string): UserRow[] =>
  store.all(
    sqlRows<UserRow>(sql`select * from "user" where lower(email) = lower(${email}) order by seq`),
  )

/**
 * Returns the ids of all users whose e-mail addresses these are in an organization, by lower-case
 * address.
 */
export function findUserIdsByEmail(
  store: Store,
  emails: readonly string[],
  organizationId: string,
): Map<string, string[]> {
  const rows = store.all(
    sqlRows<{ id: string; email: string }>(sql`
      select id, email from "user" where lower(email) in (select lower(value) from json_each(${emails}))
        and (asserted_by is null or asserted_by = ${organizationId})`),
  )
  const found = new Map<string, string[]>()
  for (const { id, email } of rows) {
    const key = email.toLowerCase()
    found.set(key, [...(found.get(key) ?? []), id])
  }

  return found
}

/** Returns the users with these ids, by id. */
export const findUsers = users.findAll('id')

/**
 * Returns the users with these ids, by id, as a viewer sees them (undefined: as a guest does).
 * E-mail addresses are null, except the viewer's own and those that hold in an organization where
 * the viewer is a member and not a guest.
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
          select distinct theirs.user_id from json_each(${[...users.keys()]}) as named
          cross join member as theirs cross join member as mine cross join "user"
          where theirs.user_id = named.value and mine.user_id = ${viewerId ?? ''}
            and mine.organization_id = theirs.organization_id and "user".id = theirs.user_id
            and mine.disabled = 0 and mine.role is not null
            and ("user".asserted_by is null or "user".asserted_by = mine.organization_id)`),
      )
      .map(row => row.user_id),
  )
  const shows = (id: string) => id === viewerId || open.has(id)
  return new Map([...users].map(([id, row]) => [id, shows(id) ? row : { ...row, email: null }]))
}

/** Returns every user, oldest first. */
export const listUsers = users.list('seq')

/** Inserts a user. Without `asserted_by`, the e-mail address is theirs on the whole server. */
export function insertUser(
  store: Store,
  {
    email,
    asserted_by = null,
    ...row
  }: Pick<UserRow, 'id' | 'display_name' | 'email' | 'created_at'> &
    Partial<Pick<UserRow, 'asserted_by' | 'photo_url' | 'is_agent'>>,
): UserRow {
  const address =
    asserted_by === null
      ? { confirmed_email: email, asserted_email: null }
      : { confirmed_email: null, asserted_email: email }
  return store.get(
    query
      .insertInto('user')
      .values({ photo_url: null, asserted_by, ...address, ...row })
      .returningAll(),
  ) as UserRow
}

/** Updates a user. Returns the new row. */
export const updateUser = users.update('id')

/**
 * Returns the ids of the organizations that two users share and whose membership is not disabled
 * for the first.
 */
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
