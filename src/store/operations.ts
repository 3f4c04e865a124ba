import type { OperationRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** Writes an intent into the journal. */
export const insertOperation = (store: Store, row: Omit<OperationRow, 'seq'>): number =>
  store.run(query.insertInto('operation').values(row))

/** Takes an intent out of the journal: it has happened, or will not. */
export const deleteOperation = (store: Store, id: string): number =>
  store.run(query.deleteFrom('operation').where('id', '=', id))

/** Every intent in the journal, oldest first. */
export const listOperations = (store: Store): OperationRow[] =>
  store.all(query.selectFrom('operation').selectAll().orderBy('seq'))

/** The intents of one space in the journal, oldest first. */
export const listOperationsOf = (store: Store, spaceId: string): OperationRow[] =>
  store.all(query.selectFrom('operation').selectAll().where('space_id', '=', spaceId).orderBy('seq'))

/** How many intents the journal holds from before `time`: more than none is a writer that got stuck. */
export const countOperationsBefore = (store: Store, time: string): number =>
  store.get(
    query
      .selectFrom('operation')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('created_at', '<', time),
  )?.count ?? 0
