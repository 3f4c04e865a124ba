import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { at, put } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'

// A receiver for all events while the test runs.
const receiver = createServer((request, response) => {
  request.resume()
  response.writeHead(204).end()
})
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
receiver.unref()
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

/** An event that nothing here causes, so that deliveries only happen on request. */
const events = ['space_gitsync_started']
const secret = 'a secret of some length'

function newWebhook({ app, by, ids }: World): string {
  return put(app, 'webhook', {
    organization_id: ids.organizationId as string,
    url,
    events: JSON.stringify(events),
    sealed: app.ctx.keys.seal('webhook', secret),
    created_by: by.id,
    created_at: at,
    updated_at: at,
  })
}

const webhook = (world: World) => ({ ids: { webhookId: newWebhook(world) } })

/** A delivery that has arrived. */
function delivery(world: World) {
  const webhookId = newWebhook(world)
  const deliveryId = put(world.app, 'webhook_delivery', {
    webhook_id: webhookId,
    event_id: another('event'),
    event: 'ping',
    payload: '{}',
    state: 'success',
    attempts: 1,
    created_at: world.app.ctx.now().toISOString(),
  })

  return { ids: { webhookId, deliveryId } }
}

/** The audit log and webhooks. */
export const happenings: Calls = {
  getAuditEventById: fresh(({ app, by, ids }) => ({
    ids: {
      eventId: put(app, 'audit_event', {
        organization_id: ids.organizationId as string,
        action: 'space.updated',
        user_id: by.id,
        target_kind: 'space',
        target_id: ids.spaceId as string,
        space_id: ids.spaceId as string,
        created_at: at,
      }),
    },
  })),
  createWebhook: fresh(() => ({ body: { url, events, secret } })),
  getWebhookById: fresh(webhook),
  updateWebhookById: fresh(world => ({ ...webhook(world), body: { active: false } })),
  deleteWebhookById: fresh(webhook),
  pingWebhook: fresh(webhook),
  listWebhookDeliveries: fresh(webhook),
  getWebhookDeliveryById: fresh(delivery),
  redeliverWebhookDelivery: fresh(delivery),
}
