import { sql } from 'kysely'
import type { Store } from './store.ts'
import { sqlRows } from './store.ts'

/** Every column with texts that are sealed with the server's key, and the purpose that they are sealed for. */
export const sealedColumns: readonly (readonly [table: string, column: string, purpose: string])[] = [
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

/** Returns every sealed text, but for those that begin with `but`. */
const listSealed = (store: Store, but: string): Held[] =>
  sealedColumns.flatMap(([table, column, purpose]) => {
    const [name, held] = [sql.table(table), sql.ref(column)]
    const rows = sqlRows<{ text: string }>(
      sql`select distinct ${held} as text from ${name} where ${held} is not null and (${but} = '' or substr(${held}, 1, ${but.length}) <> ${but})`,
    )
    return store.all(rows).map(({ text }) => ({ table, column, purpose, text }))
  })

/**
 * Replaces every sealed text, but for those that begin with `but`, with the result of `reseal`, in one transaction;
 * undefined keeps a text as it is. Returns the number of replaced texts.
 */
export function resealAll(
  store: Store,
  reseal: (purpose: string, sealed: string) => string | undefined,
  but = '',
): number {
  const found = listSealed(store, but)
  // A command that opens the folder of a running server must not wait for its transactions.
  if (found.length === 0) return 0
  return store.transact(() => {
    let replaced = 0
    for (const { table, column, purpose, text } of found) {
      const fresh = reseal(purpose, text)
      if (fresh === undefined) continue
      const [name, held] = [sql.table(table), sql.ref(column)]
      replaced += store.run(sqlRows(sql`update ${name} set ${held} = ${fresh} where ${held} = ${text}`))
    }
    return replaced
  })
}
