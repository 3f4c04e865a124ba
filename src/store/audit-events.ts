import { type Expression, sql } from 'kysely'
import type { AuditEventRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** Adds an event, which stays as it is for good. */
export const insertAuditEvent = (store: Store, row: Omit<AuditEventRow, 'seq'>): number =>
  store.run(query.insertInto('audit_event').values(row))

/** What a list of events is restricted to; what is not said restricts nothing. */
export type AuditFilter = {
  /** The earliest time. */
  from?: string | undefined
  /** The first time that is too late. */
  to?: string | undefined
  action?: string | undefined
  /** A user's id; null: nobody known. */
  userId?: string | null | undefined
  targetId?: string | undefined
  spaceId?: string | undefined
}

/** The events of an organization, newest first, `limit` from those before the key (time, seq). */
export function listAuditEvents(
  store: Store,
  organizationId: string,
  { from, to, action, userId, targetId, spaceId }: AuditFilter,
  limit: number,
  before?: readonly [at: string, seq: number],
): AuditEventRow[] {
  let select = query.selectFrom('audit_event').selectAll().where('organization_id', '=', organizationId)
  if (from !== undefined) select = select.where('created_at', '>=', from)
  if (to !== undefined) select = select.where('created_at', '<', to)
  if (action !== undefined) select = select.where('action', '=', action)
  if (userId === null) select = select.where('user_id', 'is', null)
  else if (userId !== undefined) select = select.where('user_id', '=', userId)
  if (targetId !== undefined) select = select.where('target_id', '=', targetId)
  if (spaceId !== undefined) select = select.where('space_id', '=', spaceId)
  if (before) {
    const isBefore = sql`(created_at, seq) < (${before[0]}, ${before[1]})` as Expression<never>
    select = select.where(isBefore)
  }
  return store.all(select.orderBy('created_at', 'desc').orderBy('seq', 'desc').limit(limit))
}

/** One event of an organization. */
export const findAuditEvent = (store: Store, organizationId: string, id: string): AuditEventRow | undefined =>
  store.get(
    query
      .selectFrom('audit_event')
      .selectAll()
      .where('id', '=', id)
      .where('organization_id', '=', organizationId),
  )
