import { routes } from '../../http/endpoint.ts'
import * as audit from '../people/audit/endpoints.ts'
import * as webhookDeliveries from '../people/webhooks/delivery-endpoints.ts'
import * as webhooks from '../people/webhooks/endpoints.ts'

/** Audit events and webhooks of an organization. */
export const eventsRoutes = routes({
  'GET /orgs/:organizationId/audit-events': audit.listAuditEventsInOrganization,
  'GET /orgs/:organizationId/audit-events/:eventId': audit.getAuditEvent,
  'GET /orgs/:organizationId/audit-event-actions': audit.listAuditEventActions,
  'GET /orgs/:organizationId/webhooks': webhooks.listWebhooks,
  'POST /orgs/:organizationId/webhooks': webhooks.createWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId': webhooks.getWebhook,
  'PATCH /orgs/:organizationId/webhooks/:webhookId': webhooks.updateWebhook,
  'DELETE /orgs/:organizationId/webhooks/:webhookId': webhooks.deleteWebhook,
  'POST /orgs/:organizationId/webhooks/:webhookId/ping': webhookDeliveries.pingWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries':
    webhookDeliveries.listWebhookDeliveries,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId':
    webhookDeliveries.getWebhookDelivery,
  'POST /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId/redeliver':
    webhookDeliveries.redeliverWebhookDelivery,
})
