import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { WebhookRow } from '../tables/rows.ts'

/** The webhooks of an organization that are told of events: what for (`events`, as JSON) and which. */
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

/** An organization's webhooks, oldest first, `limit` from above `after`. */
export const listWebhooks = (store: Store, organizationId: string, limit: number, after = 0): WebhookRow[] =>
  store.all(
    query
      .selectFrom('webhook')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** How many webhooks an organization has. */
export const countWebhooks = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('webhook')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  )?.count ?? 0

/** The webhook with this id. */
export const findWebhook = (store: Store, id: string): WebhookRow | undefined =>
  store.get(query.selectFrom('webhook').selectAll().where('id', '=', id))

/** Adds a webhook. */
export const insertWebhook = (
  store: Store,
  row: Pick<
    WebhookRow,
    'id' | 'organization_id' | 'url' | 'events' | 'sealed' | 'created_by' | 'created_at' | 'updated_at'
  >,
): WebhookRow =>
  store.get(
    query
      .insertInto('webhook')
      .values({ ...row, failing_since: null, former_sealed: null, former_until: null })
      .returningAll(),
  ) as WebhookRow

/** Changes a webhook; the row as it is then. */
export const updateWebhook = (
  store: Store,
  id: string,
  set: Partial<Omit<WebhookRow, 'id' | 'seq' | 'organization_id' | 'created_at' | 'created_by'>>,
): WebhookRow | undefined =>
  store.get(query.updateTable('webhook').set(set).where('id', '=', id).returningAll())

/** Removes a webhook with its deliveries. */
export const deleteWebhook = (store: Store, id: string): number =>
  store.run(query.deleteFrom('webhook').where('id', '=', id))
