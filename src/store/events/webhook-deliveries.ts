import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { WebhookDeliveryRow } from '../tables/rows.ts'

const deliveries = new Rows('webhook_delivery')

/** Inserts a delivery that is due at `next_attempt_at`. */
export const insertDelivery = (
  store: Store,
  row: Pick<
    WebhookDeliveryRow,
    'id' | 'webhook_id' | 'event_id' | 'event' | 'payload' | 'created_at'
  > &
    Partial<Pick<WebhookDeliveryRow, 'redelivery_of'>>,
): WebhookDeliveryRow =>
  store.get(
    query
      .insertInto('webhook_delivery')
      .values({
        status_code: null,
        error: null,
        redelivery_of: null,
        attempted_at: null,
        ...row,
        next_attempt_at: row.created_at,
      })
      .returningAll(),
  ) as WebhookDeliveryRow

/**
 * Returns up to `limit` deliveries of a webhook below `before`, newest first, optionally of one
 * state.
 */
export function listDeliveries(
  store: Store,
  webhookId: string,
  { state }: { state?: WebhookDeliveryRow['state'] | undefined },
  limit: number,
  before?: number,
): WebhookDeliveryRow[] {
  let select = query.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', webhookId)
  if (state !== undefined) select = select.where('state', '=', state)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** Returns one delivery of a webhook. */
export const findDelivery = deliveries.find('webhook_id', 'id')

/** Returns the oldest due delivery of a webhook. */
export const nextDelivery = (
  store: Store,
  webhookId: string,
  now: string,
): WebhookDeliveryRow | undefined =>
  store.get(
    query
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'waiting')
      .where('next_attempt_at', '<=', now)
      .orderBy('seq')
      .limit(1),
  )

/** Returns when the next delivery of a webhook is due; undefined if none is waiting. */
export const nextDeliveryTime = (store: Store, webhookId: string): string | undefined =>
  store.get(
    // The state is a literal: SQLite does not use a partial index for a bound value.
    sqlRows<{ next_attempt_at: string }>(sql`
      select next_attempt_at from webhook_delivery
      where webhook_id = ${webhookId} and state = 'waiting' order by next_attempt_at limit 1`),
  )?.next_attempt_at

/** Updates a delivery. */
export const updateDelivery = (
  store: Store,
  id: string,
  set: Partial<
    Pick<
      WebhookDeliveryRow,
      'state' | 'attempts' | 'status_code' | 'error' | 'attempted_at' | 'next_attempt_at'
    >
  >,
): number => store.run(query.updateTable('webhook_delivery').set(set).where('id', '=', id))

/**
 * Fails up to `limit` waiting deliveries of a webhook with this error, the oldest first. Returns
 * the number.
 */
export const giveUpDeliveries = (
  store: Store,
  webhookId: string,
  error: string,
  limit: number,
): number =>
  store.run(
    sqlRows(sql`
      update webhook_delivery set state = 'failure', error = ${error}, next_attempt_at = null where seq in (
        select seq from webhook_delivery where webhook_id = ${webhookId} and state = 'waiting'
        order by seq limit ${limit})`),
  )

/** Deletes up to `limit` deliveries of a webhook, the oldest first. Returns the number. */
export const deleteSomeDeliveries = (store: Store, webhookId: string, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from webhook_delivery where seq in (
        select seq from webhook_delivery where webhook_id = ${webhookId} order by seq limit ${limit})`),
  )

/** Deletes up to `limit` deliveries from before this time, the oldest first. Returns the number. */
export const deleteDeliveriesBefore = (store: Store, time: string, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from webhook_delivery where seq in (
        select seq from webhook_delivery where created_at < ${time} order by created_at limit ${limit})`),
  )

/** Makes waiting deliveries with future times due now, after the machine's clock was set back. */
export function retimeDeliveries(store: Store, now: Date): number {
  const time = now.toISOString()
  return store.run(
    sqlRows(sql`
      update webhook_delivery set next_attempt_at = ${time}
      where state = 'waiting' and next_attempt_at > ${time} and coalesce(attempted_at, created_at) > ${time}`),
  )
}
