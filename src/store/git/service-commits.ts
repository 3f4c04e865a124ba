import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { ServiceCommitKind } from '../tables/git.ts'
import type { ServiceCommitRow } from '../tables/rows.ts'

const serviceCommits = new Rows('service_commit')

/** Records that the service made a commit. An existing row stays as it is. */
export const insertServiceCommit = serviceCommits.addNew

/**
 * Returns how the service made each of these commits of a space, by oid, without commits from
 * elsewhere.
 */
export const findServiceCommits = (
  store: Store,
  spaceId: string,
  oids: readonly Oid[],
): Map<Oid, ServiceCommitKind> =>
  new Map(
    store
      .all(
        sqlRows<Pick<ServiceCommitRow, 'oid' | 'kind'>>(
          sql`select oid, kind from service_commit
              where space_id = ${spaceId} and oid in ${among(oids)}`,
        ),
      )
      .map(row => [row.oid, row.kind]),
  )

/** Copies the records of commits of one space to another. */
export const copyServiceCommits = (store: Store, fromId: string, toId: string): number =>
  store.run(
    sqlRows(sql`
      insert into service_commit (space_id, oid, kind)
      select ${toId}, oid, kind from service_commit where space_id = ${fromId}
      on conflict (space_id, oid) do nothing`),
  )
