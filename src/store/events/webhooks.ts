import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { WebhookRow } from '../tables/rows.ts'

const webhooks = new Rows('webhook')

/** Returns the active webhooks of an organization with their `events`. */
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
export const listWebhooks = webhooks.page('asc', 'organization_id')

/** Returns the number of webhooks of an organization. */
export const countWebhooks = webhooks.count('organization_id')

/** Returns the webhook with this id. */
export const findWebhook = webhooks.find('id')

/** Inserts a webhook. */
export const insertWebhook = webhooks.insert

/** Updates a webhook. Returns the new row. */
export const updateWebhook = webhooks.update('id')

/** Deletes a webhook with its deliveries. */
export const deleteWebhook = webhooks.remove('id')
