import { missing } from '../../errors.ts'
import { findWebhook } from '../../store/events/webhooks.ts'
import type { WebhookRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { needing } from './needing.ts'
import { type OrganizationGrant, organization } from './organization.ts'

/** Admits admins of the organization of the path; grants the webhook of the path. */
export const webhook: Access<
  { organizationId: string; webhookId: string },
  OrganizationGrant & { webhook: WebhookRow }
> = needing({ role: 'admin', on: 'organization' }, asker => {
  const granted = organization('admin')(asker)
  const row = findWebhook(asker.ctx.store, asker.params.webhookId)
  if (row?.organization_id !== granted.organization.id)
    throw missing('webhook', asker.params.webhookId)
  return { ...granted, webhook: row }
})
