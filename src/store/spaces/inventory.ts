import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

/** The tables that are counted in a backup: their rows cannot be rebuilt from anything else. */
const counted = [
  'organization',
  'user',
  'token',
  'space',
  'change_request',
] as const satisfies readonly (keyof Tables)[]

export type Inventory = Record<(typeof counted)[number], number>

/** Returns the number of rows of each of these tables. */
export const takeInventory = (store: Store): Inventory =>
  Object.fromEntries(
    counted.map(table => [
      table,
      store.get(sqlRows<{ count: number }>(sql`select count(*) as count from ${sql.table(table)}`))
        ?.count ?? 0,
    ]),
  ) as Inventory

/** Returns the schema version of the file: the number of its last migration. */
export const schemaVersion = (store: Store): number =>
  store.get(sqlRows<{ user_version: number }>(sql`pragma user_version`))?.user_version ?? 0
