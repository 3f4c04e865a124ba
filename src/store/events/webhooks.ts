import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { WebhookRow } from '../tables/rows.ts'

/** Returns the active webhooks of an organization with their `events` (JSON). */
export const listActiveWebhooks = (
  store: Store,
  organizationId: string,
): Pick<WebhookRow, 'id' | 'events'>[] =>
  store.all(
    query
      .selectFrom('webhook')
      .select(['id', 'events'])
      .where('organization_id', '=', organizationId)
      .where('active', '=', 1),
  )

/** Returns up to `limit` webhooks of an organization above `after`, oldest first. */
export const listWebhooks = (
  store: Store,
  organizationId: string,
  limit: number,
  after = 0,
): WebhookRow[] =>
  store.all(
    query
      .selectFrom('webhook')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** Returns the number of webhooks of an organization. */
export const countWebhooks = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('webhook')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  )?.count ?? 0

/** Returns the webhook with this id. */
export const findWebhook = (store: Store, id: string): WebhookRow | undefined =>
  store.get(query.selectFrom('webhook').selectAll().where('id', '=', id))

/** Inserts a webhook. */
export const insertWebhook = (
  store: Store,
  row: Pick<
    WebhookRow,
    | 'id'
    | 'organization_id'
    | 'url'
    | 'events'
    | 'sealed'
    | 'created_by'
    | 'created_at'
    | 'updated_at'
  >,
): WebhookRow =>
  store.get(
    query
      .insertInto('webhook')
      .values({ ...row, failing_since: null, former_sealed: null, former_until: null })
      .returningAll(),
  ) as WebhookRow

/** Updates a webhook. Returns the new row. */
export const updateWebhook = (
  store: Store,
  id: string,
  set: Partial<Omit<WebhookRow, 'id' | 'seq' | 'organization_id' | 'created_at' | 'created_by'>>,
): WebhookRow | undefined =>
  store.get(query.updateTable('webhook').set(set).where('id', '=', id).returningAll())

/** Deletes a webhook with its deliveries. */
export const deleteWebhook = (store: Store, id: string): number =>
  store.run(query.deleteFrom('webhook').where('id', '=', id))
