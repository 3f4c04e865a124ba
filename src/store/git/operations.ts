import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OperationRow } from '../tables/rows.ts'

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

/** A write is in the journal for some milliseconds. One that stays there this long did not go well. */
const stuckMs = 30_000

/**
 * The spaces that have had an intent in the journal for half a minute: nothing can be written to them until it is settled.
 * They are read as ever.
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
