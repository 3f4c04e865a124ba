import { sql } from 'kysely'
import type { Store } from './store.ts'
import { sqlRows } from './store.ts'

/**
 * Every column with texts that are sealed with the server's key, and the purpose that they are
 * sealed for.
 */
export const sealedColumns: readonly (readonly [table: string, column: string, purpose: string])[] =
  [
    ['git_sync_operation', 'sealed', 'git remote'],
    ['webhook', 'sealed', 'webhook'],
    ['webhook', 'former_sealed', 'webhook'],
    ['organization_key', 'sealed', 'organization key'],
    ['share_link', 'key_sealed', 'share link'],
    ['site_visitor_auth', 'key_sealed', 'visitor key'],
    ['sso_provider', 'secret_sealed', 'client secret'],
    ['sso_request', 'verifier_sealed', 'code verifier'],
    ['integration', 'secrets_sealed', 'integration secrets'],
    ['integration_installation', 'configuration_sealed', 'integration configuration'],
    ['integration_site', 'configuration_sealed', 'integration configuration'],
  ]

type Held = { table: string; column: string; purpose: string; text: string }

/** All sealed texts, or those of the first version, which had no purpose. */
type WhichSealed = 'all' | 'first'

const listSealed = (store: Store, which: WhichSealed): Held[] =>
  sealedColumns.flatMap(([table, column, purpose]) => {
    const [name, held] = [sql.table(table), sql.ref(column)]
    // Each column has an index with this condition, which is empty unless there is work to do.
    const wanted =
      which === 'first' ? sql`substr(${held}, 1, 3) <> 'v2.'` : sql`${held} is not null`
    const rows = sqlRows<{ text: string }>(
      sql`select distinct ${held} as text from ${name} where ${wanted}`,
    )
    return store.all(rows).map(({ text }) => ({ table, column, purpose, text }))
  })

/**
 * Replaces sealed texts with the results of `reseal`, in one transaction; undefined keeps a text as
 * it is. Returns the number of replaced texts.
 */
export function resealAll(
  store: Store,
  which: WhichSealed,
  reseal: (purpose: string, sealed: string) => string | undefined,
): number {
  const found = listSealed(store, which).flatMap(held => {
    const fresh = reseal(held.purpose, held.text)
    return fresh === undefined ? [] : [{ ...held, fresh }]
  })

  // A command that opens the folder of a running server must not wait for its transactions.
  if (found.length === 0) return 0
  return store.transact(() => {
    let replaced = 0
    for (const { table, column, text, fresh } of found) {
      const [name, held] = [sql.table(table), sql.ref(column)]
      replaced += store.run(
        sqlRows(sql`update ${name} set ${held} = ${fresh} where ${held} = ${text}`),
      )
    }
    return replaced
  })
}
