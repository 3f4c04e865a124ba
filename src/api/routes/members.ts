import { routes } from '../../http/endpoint.ts'
import * as invites from '../people/invites/endpoints.ts'
import { joinOrganizationWithInvite } from '../people/invites/join-endpoints.ts'
import * as inviteLinks from '../people/invites/link-endpoints.ts'
import * as members from '../people/members/endpoints.ts'
import * as organizationKeys from '../people/members/key-endpoints.ts'
import { listSpacesForOrganizationMember } from '../people/members/space-endpoints.ts'
import * as teams from '../people/teams/endpoints.ts'
import * as teamMembers from '../people/teams/member-endpoints.ts'
import { listTeamsForOrganizationMember } from '../people/teams/of-member-endpoints.ts'

/** Members and teams of an organization. */
export const membersRoutes = routes({
  // Members, invites and joining
  'GET /orgs/:organizationId/members': members.listMembersInOrganizationById,
  'GET /orgs/:organizationId/members/:userId': members.getMemberInOrganizationById,
  'PATCH /orgs/:organizationId/members/:userId': members.updateMemberInOrganizationById,
  'DELETE /orgs/:organizationId/members/:userId': members.removeMemberFromOrganizationById,
  'POST /orgs/:organizationId/members/:userId/sso': members.setUserAsSSOMemberForOrganization,
  'GET /orgs/:organizationId/members/:userId/spaces': listSpacesForOrganizationMember,
  'GET /orgs/:organizationId/members/:userId/teams': listTeamsForOrganizationMember,
  'POST /orgs/:organizationId/ping': members.updateOrganizationMemberLastSeenAt,
  'GET /orgs/:organizationId/.well-known/jwks.json': organizationKeys.getOrganizationKeys,
  'POST /orgs/:organizationId/keys/rotate': organizationKeys.rotateOrganizationKeys,
  'POST /orgs/:organizationId/invites': invites.inviteUsersToOrganization,
  'POST /orgs/:organizationId/invites/:inviteId': joinOrganizationWithInvite,
  'POST /orgs/:organizationId/join': invites.joinOrganization,
  'GET /orgs/:organizationId/link-invites': inviteLinks.listOrganizationInviteLinks,
  'POST /orgs/:organizationId/link-invites': inviteLinks.createOrganizationInvite,
  'GET /orgs/:organizationId/link-invites/:inviteId': inviteLinks.getOrganizationInviteLink,
  'PATCH /orgs/:organizationId/link-invites/:inviteId': inviteLinks.updateOrganizationInviteById,
  'DELETE /orgs/:organizationId/link-invites/:inviteId': inviteLinks.deleteOrganizationInviteById,

  // Teams
  'GET /orgs/:organizationId/teams': teams.listTeamsInOrganizationById,
  'PUT /orgs/:organizationId/teams': teams.createOrganizationTeam,
  'GET /orgs/:organizationId/teams/:teamId': teams.getTeamInOrganizationById,
  'PATCH /orgs/:organizationId/teams/:teamId': teams.updateTeamInOrganizationById,
  'DELETE /orgs/:organizationId/teams/:teamId': teams.removeTeamFromOrganizationById,
  'GET /orgs/:organizationId/teams/:teamId/members': teamMembers.listTeamMembersInOrganizationById,
  'PUT /orgs/:organizationId/teams/:teamId/members': teamMembers.updateMembersInOrganizationTeam,
  'PUT /orgs/:organizationId/teams/:teamId/members/:userId':
    teamMembers.addMemberToOrganizationTeamById,
  'DELETE /orgs/:organizationId/teams/:teamId/members/:userId':
    teamMembers.deleteMemberFromOrganizationTeamById,
})
