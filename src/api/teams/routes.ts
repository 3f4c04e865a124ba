import { routes } from '../../http/endpoint.ts'
import * as teams from './endpoints.ts'
import * as members from './member-endpoints.ts'

export const teamRoutes = routes({
  // Teams
  'GET /orgs/:organizationId/teams': teams.listTeamsInOrganizationById,
  'PUT /orgs/:organizationId/teams': teams.createOrganizationTeam,
  'GET /orgs/:organizationId/teams/:teamId': teams.getTeamInOrganizationById,
  'PATCH /orgs/:organizationId/teams/:teamId': teams.updateTeamInOrganizationById,
  'DELETE /orgs/:organizationId/teams/:teamId': teams.removeTeamFromOrganizationById,
  'GET /orgs/:organizationId/teams/:teamId/members': members.listTeamMembersInOrganizationById,
  'PUT /orgs/:organizationId/teams/:teamId/members': members.updateMembersInOrganizationTeam,
  'PUT /orgs/:organizationId/teams/:teamId/members/:userId': members.addMemberToOrganizationTeamById,
  'DELETE /orgs/:organizationId/teams/:teamId/members/:userId': members.deleteMemberFromOrganizationTeamById,
})
