import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { GitSyncRunRow } from '../tables/rows.ts'

const gitSyncs = new Rows('git_sync')
const gitSyncRuns = new Rows('git_sync_operation')

/**
 * Returns the Git sync configuration of a space; undefined before the first run and after its
 * removal.
 */
export const findGitSync = gitSyncs.find('space_id')

/** Returns the Git sync configurations of many spaces, by space id. */
export const findGitSyncs = gitSyncs.findAll('space_id')

/** Stores the Git sync configuration of a space. */
export const putGitSync = gitSyncs.put('space_id')

/** Deletes the Git sync configuration of a space. */
export const deleteGitSync = gitSyncs.remove('space_id')

/** A Git sync run before its start, without counts. */
export type NewGitSyncRun = Omit<
  GitSyncRunRow,
  'seq' | 'files_added' | 'files_changed' | 'files_removed'
>

/** Inserts a Git sync run. */
export const insertGitSyncRun = (store: Store, row: NewGitSyncRun): number =>
  store.run(query.insertInto('git_sync_operation').values(row))

/** Returns the Git sync run with this id. */
export const findGitSyncRun = gitSyncRuns.find('id')

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
