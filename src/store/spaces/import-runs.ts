import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import { query, type Store } from '../store.ts'
import type { ImportRunRow } from '../tables/rows.ts'

const importRuns = new Rows('import_run')

export const findImportRun = importRuns.find('id')
export const insertImportRun = importRuns.insert
export const setImportRun = importRuns.set('id')

/** The states of a run that has not ended. */
export const waitingStates = ['pending', 'in-progress'] as const

/** Which runs of an organization are listed. */
export type ImportRunFilter = {
  spaceId?: string | undefined
  changeRequestId?: string | undefined
  siteId?: string | undefined
  statuses?: readonly ImportRunRow['status'][] | undefined
}

/** Returns up to `limit` import runs of an organization below `before` (a `seq`), newest first. */
export function listImportRuns(
  store: Store,
  organizationId: string,
  { spaceId, changeRequestId, siteId, statuses }: ImportRunFilter,
  limit: number,
  before?: number,
): ImportRunRow[] {
  let select = query
    .selectFrom('import_run')
    .selectAll()
    .where('organization_id', '=', organizationId)
  if (spaceId !== undefined) select = select.where('space_id', '=', spaceId)
  if (changeRequestId !== undefined)
    select = select.where('change_request_id', '=', changeRequestId)
  if (siteId !== undefined) select = select.where('site_id', '=', siteId)
  if (statuses !== undefined) select = select.where('status', 'in', statuses)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** Returns the number of import runs of a user that have not ended. */
export const countWaitingImportRuns = (store: Store, userId: string): number =>
  store.get(
    query
      .selectFrom('import_run')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('created_by', '=', userId)
      .where(sql<boolean>`status in ('pending', 'in-progress')`),
  )?.count ?? 0

/**
 * Changes an import run unless it has ended. Returns 0 if it has, as after it was cancelled.
 */
export const changeWaitingImportRun = (
  store: Store,
  id: string,
  set: Partial<Omit<ImportRunRow, 'id' | 'seq'>>,
): number =>
  store.run(
    query
      .updateTable('import_run')
      .set(set)
      .where('id', '=', id)
      .where('status', 'in', waitingStates),
  )

/** Deletes up to `limit` import runs that began before a time. Returns how many there were. */
export const deleteImportRunsBefore = (store: Store, time: string, limit: number): number =>
  store.run(
    query
      .deleteFrom('import_run')
      .where(
        'seq',
        'in',
        query.selectFrom('import_run').select('seq').where('created_at', '<', time).limit(limit),
      ),
  )
