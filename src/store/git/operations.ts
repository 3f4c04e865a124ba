import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OperationRow } from '../tables/rows.ts'

/** Inserts an intent into the journal. */
export const insertOperation = (store: Store, row: Omit<OperationRow, 'seq'>): number =>
  store.run(query.insertInto('operation').values(row))

/** Deletes an intent from the journal: it is done, or abandoned. */
export const deleteOperation = (store: Store, id: string): number =>
  store.run(query.deleteFrom('operation').where('id', '=', id))

/** Returns every intent in the journal, oldest first. */
export const listOperations = (store: Store): OperationRow[] =>
  store.all(query.selectFrom('operation').selectAll().orderBy('seq'))

/** Returns the intents of one space, oldest first. */
export const listOperationsOf = (store: Store, spaceId: string): OperationRow[] =>
  store.all(query.selectFrom('operation').selectAll().where('space_id', '=', spaceId).orderBy('seq'))

/** A write is in the journal for some milliseconds. An intent of this age, in milliseconds, has failed. */
const stuckMs = 30_000

/**
 * Returns the spaces that have had an intent in the journal for half a minute. They can be read, but not written to
 * until the intent is settled.
 */
export const listStuckSpaces = (store: Store, now: Date): string[] =>
  store
    .all(
      query
        .selectFrom('operation')
        .select('space_id')
        .distinct()
        .where('created_at', '<', new Date(now.getTime() - stuckMs).toISOString()),
    )
    .map(row => row.space_id)
