import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

/** What an operator counts: tables whose rows nothing else can bring back. */
const counted = [
  'organization',
  'user',
  'token',
  'space',
  'change_request',
] as const satisfies readonly (keyof Tables)[]

export type Inventory = Record<(typeof counted)[number], number>

/** How many rows the tables hold that an operator counts. */
export const takeInventory = (store: Store): Inventory =>
  Object.fromEntries(
    counted.map(table => [
      table,
      store.get(sqlRows<{ count: number }>(sql`select count(*) as count from ${sql.table(table)}`))?.count ??
        0,
    ]),
  ) as Inventory

/** The version of the schema of the file: the number of its last migration. */
export const schemaVersion = (store: Store): number =>
  store.get(sqlRows<{ user_version: number }>(sql`pragma user_version`))?.user_version ?? 0
