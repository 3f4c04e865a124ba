import { clusterTables } from './cluster.ts'
import { discussionsTables } from './discussions.ts'
import { eventsTables } from './events.ts'
import { gitTables } from './git.ts'
import { integrationsTables } from './integrations.ts'
import { openapiTables } from './openapi.ts'
import { peopleTables } from './people.ts'
import { searchTables } from './search.ts'
import { sitesTables } from './sites.ts'
import { spacesTables } from './spaces.ts'
import { ssoTables } from './sso.ts'
import type { Declared, Table } from './table.ts'

/** Every table, by its name in SQL. */
export const tables = {
  ...clusterTables,
  ...discussionsTables,
  ...eventsTables,
  ...gitTables,
  ...integrationsTables,
  ...openapiTables,
  ...peopleTables,
  ...searchTables,
  ...sitesTables,
  ...spacesTables,
  ...ssoTables,
}

/** The types of the rows as Kysely needs them, by table. */
export type Tables = {
  [Name in keyof typeof tables]: (typeof tables)[Name] extends Table<infer Row> ? Row : never
}

/** Returns the declaration of the table with this name in SQL; undefined: it has none. */
export const tableOf = (name: string): Declared | undefined =>
  Object.hasOwn(tables, name) ? tables[name as keyof Tables] : undefined
