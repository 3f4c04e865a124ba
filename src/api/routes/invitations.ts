import { routes } from '../../http/endpoint.ts'
import * as invitations from '../people/invites/invitation-endpoints.ts'

/** Invitations of users who belong to another organization. */
export const invitationsRoutes = routes({
  'GET /user/invitations': invitations.listUserInvitations,
  'POST /user/invitations/:invitationId': invitations.acceptUserInvitation,
  'DELETE /user/invitations/:invitationId': invitations.declineUserInvitation,
  'GET /orgs/:organizationId/invitations': invitations.listOrganizationInvitations,
  'DELETE /orgs/:organizationId/invitations/:invitationId':
    invitations.deleteOrganizationInvitation,
})
