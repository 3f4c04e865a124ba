import { routes } from '../../http/endpoint.ts'
import * as members from './endpoints.ts'
import { inviteUsersToOrganization, joinOrganization } from './invite-endpoints.ts'
import { joinOrganizationWithInvite } from './join-with-invite.ts'
import * as links from './link-endpoints.ts'
import { listSpacesForOrganizationMember } from './space-endpoints.ts'
import { listTeamsForOrganizationMember } from './team-endpoints.ts'

export const memberRoutes = routes({
  'GET /orgs/:organizationId/members': members.listMembersInOrganizationById,
  'GET /orgs/:organizationId/members/:userId': members.getMemberInOrganizationById,
  'PATCH /orgs/:organizationId/members/:userId': members.updateMemberInOrganizationById,
  'DELETE /orgs/:organizationId/members/:userId': members.removeMemberFromOrganizationById,
  'POST /orgs/:organizationId/members/:userId/sso': members.setUserAsSSOMemberForOrganization,
  'GET /orgs/:organizationId/members/:userId/spaces': listSpacesForOrganizationMember,
  'GET /orgs/:organizationId/members/:userId/teams': listTeamsForOrganizationMember,
  'POST /orgs/:organizationId/ping': members.updateOrganizationMemberLastSeenAt,
  'GET /orgs/:organizationId/.well-known/jwks.json': members.getOrganizationKeys,
  'POST /orgs/:organizationId/invites': inviteUsersToOrganization,
  'POST /orgs/:organizationId/invites/:inviteId': joinOrganizationWithInvite,
  'POST /orgs/:organizationId/join': joinOrganization,
  'GET /orgs/:organizationId/link-invites': links.listOrganizationInviteLinks,
  'POST /orgs/:organizationId/link-invites': links.createOrganizationInvite,
  'GET /orgs/:organizationId/link-invites/:inviteId': links.getOrganizationInviteLink,
  'PATCH /orgs/:organizationId/link-invites/:inviteId': links.updateOrganizationInviteById,
  'DELETE /orgs/:organizationId/link-invites/:inviteId': links.deleteOrganizationInviteById,
})
