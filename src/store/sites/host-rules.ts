import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { SiteHostRuleRow, SiteRow } from '../tables/rows.ts'

/** Returns the resolved rules about hosts of sites. */
export const listHostRules = (store: Store): SiteHostRuleRow[] =>
  store.all(query.selectFrom('site_host_rule').selectAll().orderBy('pattern').orderBy('named'))

/** Replaces the resolved rules. Call it inside a transaction. */
export function replaceHostRules(store: Store, rows: readonly SiteHostRuleRow[]): void {
  store.run(query.deleteFrom('site_host_rule'))
  for (const row of rows) store.run(query.insertInto('site_host_rule').values(row))
}

/** Returns the sites that have, or had, a host of their own, oldest first. */
export const listSitesWithHosts = (store: Store): SiteRow[] =>
  store.all(
    sqlRows<SiteRow>(sql`
      select * from site where hostname is not null or proxy_origin is not null
        or withdrawn_hostname is not null or withdrawn_proxy_origin is not null
      order by seq`),
  )
