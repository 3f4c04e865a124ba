import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { ServiceCommitKind } from '../tables/git.ts'
import type { ServiceCommitRow } from '../tables/rows.ts'

/** Notes that the service made a commit; one that is noted already stays as it is. */
export const insertServiceCommit = (store: Store, row: ServiceCommitRow): number =>
  store.run(
    query
      .insertInto('service_commit')
      .values(row)
      .onConflict(conflict => conflict.doNothing()),
  )

/** Returns how the service made each of these commits of a space, by oid; commits from elsewhere are left out. */
export const findServiceCommits = (
  store: Store,
  spaceId: string,
  oids: readonly string[],
): Map<string, ServiceCommitKind> =>
  new Map(
    store
      .all(
        sqlRows<Pick<ServiceCommitRow, 'oid' | 'kind'>>(
          sql`select oid, kind from service_commit
              where space_id = ${spaceId} and oid in (select value from json_each(${JSON.stringify(oids)}))`,
        ),
      )
      .map(row => [row.oid, row.kind]),
  )

/** Notes for a copy of a space what the service committed in the original. */
export const copyServiceCommits = (store: Store, fromId: string, toId: string): number =>
  store.run(
    sqlRows(sql`
      insert or ignore into service_commit (space_id, oid, kind)
      select ${toId}, oid, kind from service_commit where space_id = ${fromId}`),
  )
