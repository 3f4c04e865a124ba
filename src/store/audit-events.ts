import type { AuditEventRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** Adds an event, which stays as it is for good. */
export const insertAuditEvent = (store: Store, row: Omit<AuditEventRow, 'seq'>): number =>
  store.run(query.insertInto('audit_event').values(row))
