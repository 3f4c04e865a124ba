import { routes } from '../../http/endpoint.ts'
import * as deliveries from './delivery-endpoints.ts'
import * as webhooks from './endpoints.ts'

export const webhookRoutes = routes({
  'GET /orgs/:organizationId/webhooks': webhooks.listWebhooks,
  'POST /orgs/:organizationId/webhooks': webhooks.createWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId': webhooks.getWebhook,
  'PATCH /orgs/:organizationId/webhooks/:webhookId': webhooks.updateWebhook,
  'DELETE /orgs/:organizationId/webhooks/:webhookId': webhooks.deleteWebhook,
  'POST /orgs/:organizationId/webhooks/:webhookId/ping': deliveries.pingWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries': deliveries.listWebhookDeliveries,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId': deliveries.getWebhookDelivery,
  'POST /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId/redeliver':
    deliveries.redeliverWebhookDelivery,
})
