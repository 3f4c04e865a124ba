import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { GitSyncRow, GitSyncRunRow } from '../tables/rows.ts'

/**
 * Returns the Git sync configuration of a space; undefined before the first run and after its
 * removal.
 */
export const findGitSync = (store: Store, spaceId: string): GitSyncRow | undefined =>
  store.get(query.selectFrom('git_sync').selectAll().where('space_id', '=', spaceId))

/** Returns the Git sync configurations of many spaces, by space id. */
export const findGitSyncs = (store: Store, spaceIds: readonly string[]): Map<string, GitSyncRow> =>
  new Map(
    spaceIds.length === 0
      ? []
      : store
          .all(
            query
              .selectFrom('git_sync')
              .selectAll()
              .where('space_id', 'in', [...spaceIds]),
          )
          .map(row => [row.space_id, row]),
  )

/** Stores the Git sync configuration of a space. */
export const putGitSync = (store: Store, row: GitSyncRow): number =>
  store.run(
    query
      .insertInto('git_sync')
      .values(row)
      .onConflict(conflict => conflict.column('space_id').doUpdateSet(row)),
  )

/** Deletes the Git sync configuration of a space. */
export const deleteGitSync = (store: Store, spaceId: string): number =>
  store.run(query.deleteFrom('git_sync').where('space_id', '=', spaceId))

/** A Git sync run before its start, without counts. */
export type NewGitSyncRun = Omit<
  GitSyncRunRow,
  'seq' | 'files_added' | 'files_changed' | 'files_removed'
>

/** Inserts a Git sync run. */
export const insertGitSyncRun = (store: Store, row: NewGitSyncRun): number =>
  store.run(query.insertInto('git_sync_operation').values(row))

/** Returns the Git sync run with this id. */
export const findGitSyncRun = (store: Store, id: string): GitSyncRunRow | undefined =>
  store.get(query.selectFrom('git_sync_operation').selectAll().where('id', '=', id))

/** Returns up to `limit` Git sync runs of a space below `before` (a `seq`), newest first. */
export function listGitSyncRuns(
  store: Store,
  spaceId: string,
  limit: number,
  before?: number,
): GitSyncRunRow[] {
  let select = query.selectFrom('git_sync_operation').selectAll().where('space_id', '=', spaceId)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** Returns the queued and running Git sync runs of a space by timestamp. */
export const listPendingGitSyncRuns = (store: Store, spaceId: string): GitSyncRunRow[] =>
  store.all(
    query
      .selectFrom('git_sync_operation')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('state', 'in', ['queued', 'running'])
      .orderBy('timestamp')
      .orderBy('seq'),
  )

/** Returns the number of queued and running Git sync runs of a space. */
export const countPendingGitSyncRuns = (store: Store, spaceId: string): number =>
  store.get(
    query
      .selectFrom('git_sync_operation')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('space_id', '=', spaceId)
      .where('state', 'in', ['queued', 'running']),
  )?.count ?? 0

/** Returns the number of queued and running Git sync runs of a user in all spaces. */
export const countPendingGitSyncRunsBy = (store: Store, userId: string): number =>
  store.get(
    query
      .selectFrom('git_sync_operation')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('created_by', '=', userId)
      .where(sql<boolean>`state in ('queued', 'running')`),
  )?.count ?? 0

/** Updates a Git sync run. */
export const updateGitSyncRun = (
  store: Store,
  id: string,
  set: Partial<Omit<GitSyncRunRow, 'id' | 'seq'>>,
): number => store.run(query.updateTable('git_sync_operation').set(set).where('id', '=', id))
