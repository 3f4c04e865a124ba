import { sql } from 'kysely'
import type { Store } from './store.ts'
import { sqlRows } from './store.ts'

/** Every column with texts that are sealed with the server's key. */
export const sealedColumns: readonly (readonly [table: string, column: string])[] = [
  ['git_sync_operation', 'sealed'],
  ['webhook', 'sealed'],
  ['webhook', 'former_sealed'],
  ['organization_key', 'sealed'],
  ['share_link', 'key_sealed'],
  ['site_visitor_auth', 'key_sealed'],
  ['sso_provider', 'secret_sealed'],
  ['sso_request', 'verifier_sealed'],
  ['integration', 'secrets_sealed'],
  ['integration_installation', 'configuration_sealed'],
  ['integration_site', 'configuration_sealed'],
]

/**
 * Replaces every sealed text with the result of `reseal`, in one transaction; undefined keeps a text as it is. Returns the
 * number of replaced texts.
 */
export const resealAll = (store: Store, reseal: (sealed: string) => string | undefined): number =>
  store.transact(() => {
    let replaced = 0
    for (const [table, column] of sealedColumns) {
      const [name, held] = [sql.table(table), sql.ref(column)]
      const rows = store.all(
        sqlRows<{ text: string }>(
          sql`select distinct ${held} as text from ${name} where ${held} is not null`,
        ),
      )
      for (const { text } of rows) {
        const fresh = reseal(text)
        if (fresh === undefined) continue
        replaced += store.run(sqlRows(sql`update ${name} set ${held} = ${fresh} where ${held} = ${text}`))
      }
    }
    return replaced
  })
