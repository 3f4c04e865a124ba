import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { IntentRow } from '../tables/rows.ts'

const intents = new Rows('operation')

/**
 * Writes an intent into the journal. The table keeps the name `operation` that it was created with.
 */
export const insertIntent = (store: Store, row: Omit<IntentRow, 'seq'>): void =>
  store.send(query.insertInto('operation').values(row))

/** Deletes an intent that was carried out or refused. */
export const deleteIntent = intents.remove('id')

/** Returns every intent in the journal, oldest first. */
export const listIntents = intents.list('seq')

/** Returns the intents of one space, oldest first. */
export const listIntentsOf = intents.list('seq', 'space_id')

/** Returns the number of effects of a kind in the intents of a user. */
export const countEffects = (store: Store, userId: string, kind: string): number =>
  store.get(
    sqlRows<{ count: number }>(sql`
      select count(*) as count from operation cross join json_each(operation.effects) as effect
      where operation.user_id = ${userId} and effect.value ->> 'do' = ${kind}`),
  )?.count ?? 0

/** A write is in the journal for milliseconds; one that stays this long is stuck. */
const stuckMs = 30_000

/** Returns the spaces with an intent that is stuck: they are read-only until it is settled. */
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
