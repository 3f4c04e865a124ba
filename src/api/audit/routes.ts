import { routes } from '../../http/endpoint.ts'
import * as audit from './endpoints.ts'

export const auditRoutes = routes({
  'GET /orgs/:organizationId/audit-events': audit.listAuditEventsInOrganization,
  'GET /orgs/:organizationId/audit-events/:eventId': audit.getAuditEvent,
  'GET /orgs/:organizationId/audit-event-actions': audit.listAuditEventActions,
})
