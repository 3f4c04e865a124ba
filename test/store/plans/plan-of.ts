import type { Compilable } from 'kysely'
import type { Store } from '../../../src/store/store.ts'

/** Returns the steps in which SQLite would run a query. */
export function planOf(store: Store, built: Compilable): string[] {
  const compiled = built.compile()
  const explained = { ...compiled, sql: `explain query plan ${compiled.sql}` }
  const plan = store.all<{ detail: string }>({ compile: () => explained } as Compilable<{
    detail: string
  }>)
  return plan.map(({ detail }) => detail)
}
