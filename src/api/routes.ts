import { routes } from '../http/endpoint.ts'
import * as audit from './audit/endpoints.ts'
import * as changes from './change-requests/changes-endpoints.ts'
import * as changeRequests from './change-requests/endpoints.ts'
import { listChangeRequestsForOrganization } from './change-requests/organization-endpoints.ts'
import * as collections from './collections/endpoints.ts'
import * as changeRequestComments from './comments/change-request-endpoints.ts'
import * as comments from './comments/endpoints.ts'
import * as changeRequestContent from './content/change-request-endpoints.ts'
import * as content from './content/endpoints.ts'
import * as contentEdits from './content-edits/endpoints.ts'
import * as git from './git/endpoints.ts'
import * as contentLinks from './links/endpoints.ts'
import * as members from './members/endpoints.ts'
import * as consent from './members/invitation-endpoints.ts'
import * as invitations from './members/invite-endpoints.ts'
import { joinOrganizationWithInvite } from './members/join-with-invite.ts'
import * as organizationKeys from './members/key-endpoints.ts'
import * as links from './members/link-endpoints.ts'
import { listSpacesForOrganizationMember } from './members/space-endpoints.ts'
import { listTeamsForOrganizationMember } from './members/team-endpoints.ts'
import * as specs from './openapi/endpoints.ts'
import * as specVersions from './openapi/version-endpoints.ts'
import * as organizations from './organizations/endpoints.ts'
import * as pdf from './pdf/endpoints.ts'
import * as collectionPermissions from './permissions/on-collection.ts'
import * as spacePermissions from './permissions/on-space.ts'
import * as reviewers from './reviews/reviewers.ts'
import * as reviews from './reviews/reviews.ts'
import * as revisions from './revisions/endpoints.ts'
import * as search from './search/endpoints.ts'
import * as spaces from './spaces/endpoints.ts'
import { getApiInformation } from './system/information.ts'
import * as teams from './teams/endpoints.ts'
import * as teamMembers from './teams/member-endpoints.ts'
import * as templates from './templates/endpoints.ts'
import * as tokens from './tokens/endpoints.ts'
import * as users from './users/endpoints.ts'
import * as webhookDeliveries from './webhooks/delivery-endpoints.ts'
import * as webhooks from './webhooks/endpoints.ts'

/** Every operation below `/v1`, in reading order. */
export const api = routes({
  // The service
  'GET /': getApiInformation,

  // Users and their tokens
  'GET /user': users.getAuthenticatedUser,
  'GET /user/tokens': tokens.listUserTokens,
  'POST /user/tokens': tokens.createUserToken,
  'DELETE /user/tokens': tokens.deleteUserTokens,
  'DELETE /user/tokens/:tokenId': tokens.deleteUserToken,
  'GET /users/:userId': users.getUserById,
  'PATCH /users/:userId': users.updateUserById,

  // Organizations
  'GET /orgs': organizations.listOrganizationsForAuthenticatedUser,
  'GET /orgs/:organizationId': organizations.getOrganizationById,
  'PATCH /orgs/:organizationId': organizations.updateOrganizationById,
  'GET /orgs/:organizationId/tokens': tokens.listOrganizationTokens,
  'DELETE /orgs/:organizationId/tokens/:tokenId': tokens.deleteOrganizationToken,

  // Members of an organization, and how they come
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
  'POST /orgs/:organizationId/invites': invitations.inviteUsersToOrganization,
  'POST /orgs/:organizationId/invites/:inviteId': joinOrganizationWithInvite,
  'POST /orgs/:organizationId/join': invitations.joinOrganization,
  'GET /orgs/:organizationId/link-invites': links.listOrganizationInviteLinks,
  'POST /orgs/:organizationId/link-invites': links.createOrganizationInvite,
  'GET /orgs/:organizationId/link-invites/:inviteId': links.getOrganizationInviteLink,
  'PATCH /orgs/:organizationId/link-invites/:inviteId': links.updateOrganizationInviteById,
  'DELETE /orgs/:organizationId/link-invites/:inviteId': links.deleteOrganizationInviteById,

  // Teams
  'GET /orgs/:organizationId/teams': teams.listTeamsInOrganizationById,
  'PUT /orgs/:organizationId/teams': teams.createOrganizationTeam,
  'GET /orgs/:organizationId/teams/:teamId': teams.getTeamInOrganizationById,
  'PATCH /orgs/:organizationId/teams/:teamId': teams.updateTeamInOrganizationById,
  'DELETE /orgs/:organizationId/teams/:teamId': teams.removeTeamFromOrganizationById,
  'GET /orgs/:organizationId/teams/:teamId/members': teamMembers.listTeamMembersInOrganizationById,
  'PUT /orgs/:organizationId/teams/:teamId/members': teamMembers.updateMembersInOrganizationTeam,
  'PUT /orgs/:organizationId/teams/:teamId/members/:userId': teamMembers.addMemberToOrganizationTeamById,
  'DELETE /orgs/:organizationId/teams/:teamId/members/:userId':
    teamMembers.deleteMemberFromOrganizationTeamById,

  // What happened in an organization, and who is told of it
  'GET /orgs/:organizationId/audit-events': audit.listAuditEventsInOrganization,
  'GET /orgs/:organizationId/audit-events/:eventId': audit.getAuditEvent,
  'GET /orgs/:organizationId/audit-event-actions': audit.listAuditEventActions,
  'GET /orgs/:organizationId/webhooks': webhooks.listWebhooks,
  'POST /orgs/:organizationId/webhooks': webhooks.createWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId': webhooks.getWebhook,
  'PATCH /orgs/:organizationId/webhooks/:webhookId': webhooks.updateWebhook,
  'DELETE /orgs/:organizationId/webhooks/:webhookId': webhooks.deleteWebhook,
  'POST /orgs/:organizationId/webhooks/:webhookId/ping': webhookDeliveries.pingWebhook,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries': webhookDeliveries.listWebhookDeliveries,
  'GET /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId':
    webhookDeliveries.getWebhookDelivery,
  'POST /orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId/redeliver':
    webhookDeliveries.redeliverWebhookDelivery,

  // Collections
  'GET /orgs/:organizationId/collections': collections.listCollectionsInOrganizationById,
  'POST /orgs/:organizationId/collections': collections.createCollection,
  'GET /collections/:collectionId': collections.getCollectionById,
  'PATCH /collections/:collectionId': collections.updateCollectionById,
  'DELETE /collections/:collectionId': collections.deleteCollectionById,
  'GET /collections/:collectionId/spaces': collections.listSpacesInCollectionById,
  'POST /collections/:collectionId/move': collections.moveCollection,
  'POST /collections/:collectionId/transfer': collections.transferCollection,

  // Who may what with a collection
  'POST /collections/:collectionId/permissions': collectionPermissions.inviteToCollection,
  'GET /collections/:collectionId/permissions/aggregate':
    collectionPermissions.listPermissionsAggregateInCollection,
  'GET /collections/:collectionId/permissions/users': collectionPermissions.listUserPermissionsInCollection,
  'PATCH /collections/:collectionId/permissions/users/:userId':
    collectionPermissions.updateUserPermissionInCollection,
  'DELETE /collections/:collectionId/permissions/users/:userId':
    collectionPermissions.removeUserFromCollection,
  'GET /collections/:collectionId/permissions/teams': collectionPermissions.listTeamPermissionsInCollection,
  'PATCH /collections/:collectionId/permissions/teams/:teamId':
    collectionPermissions.updateTeamPermissionInCollection,
  'DELETE /collections/:collectionId/permissions/teams/:teamId':
    collectionPermissions.removeTeamFromCollection,

  // Spaces
  'GET /orgs/:organizationId/spaces': spaces.listSpacesInOrganizationById,
  'POST /orgs/:organizationId/spaces': spaces.createSpace,
  'GET /spaces/:spaceId': spaces.getSpaceById,
  'PATCH /spaces/:spaceId': spaces.updateSpaceById,
  'DELETE /spaces/:spaceId': spaces.deleteSpaceById,
  'POST /spaces/:spaceId/duplicate': spaces.duplicateSpace,
  'POST /spaces/:spaceId/restore': spaces.restoreSpace,
  'POST /spaces/:spaceId/move': spaces.moveSpace,
  'POST /spaces/:spaceId/transfer': spaces.transferSpace,

  // Who may what with a space
  'POST /spaces/:spaceId/permissions': spacePermissions.inviteToSpace,
  'GET /spaces/:spaceId/permissions/aggregate': spacePermissions.listPermissionsAggregateInSpace,
  'GET /spaces/:spaceId/permissions/users': spacePermissions.listUserPermissionsInSpace,
  'PATCH /spaces/:spaceId/permissions/users/:userId': spacePermissions.updateUserPermissionInSpace,
  'DELETE /spaces/:spaceId/permissions/users/:userId': spacePermissions.removeUserFromSpace,
  'GET /spaces/:spaceId/permissions/teams': spacePermissions.listTeamPermissionsInSpace,
  'PATCH /spaces/:spaceId/permissions/teams/:teamId': spacePermissions.updateTeamPermissionInSpace,
  'DELETE /spaces/:spaceId/permissions/teams/:teamId': spacePermissions.removeTeamFromSpace,

  // Content of a space
  'GET /spaces/:spaceId/content': content.getCurrentRevision,
  'POST /spaces/:spaceId/content': contentEdits.updateContent,
  'GET /spaces/:spaceId/content/pages': content.listPages,
  'GET /spaces/:spaceId/content/files': content.listFiles,
  'GET /spaces/:spaceId/content/files/:fileId': content.getFileById,
  'GET /spaces/:spaceId/content/page/:pageId': content.getPageById,
  'GET /spaces/:spaceId/content/path/*pagePath': content.getPageByPath,
  'GET /spaces/:spaceId/content/reusable-contents/:reusableContentId': content.getReusableContentById,
  'POST /spaces/:spaceId/content/template': templates.applyTemplateToSpace,

  // Content of a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content':
    changeRequestContent.getRevisionOfChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/content': contentEdits.updateChangeRequestContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/pages':
    changeRequestContent.listPagesInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files':
    changeRequestContent.listFilesInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId':
    changeRequestContent.getFileInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId':
    changeRequestContent.getPageInChangeRequestById,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/path/*pagePath':
    changeRequestContent.getPageInChangeRequestByPath,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/reusable-contents/:reusableContentId':
    changeRequestContent.getReusableContentInChangeRequestById,

  // Revisions
  'GET /spaces/:spaceId/revisions': revisions.listRevisionsOfSpace,
  'GET /spaces/:spaceId/revisions/:revisionId': revisions.getRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/pages': revisions.listPagesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files': revisions.listFilesInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/files/:fileId': revisions.getFileInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/page/:pageId': revisions.getPageInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/path/*pagePath': revisions.getPageInRevisionByPath,
  'GET /spaces/:spaceId/revisions/:revisionId/reusable-contents/:reusableContentId':
    revisions.getReusableContentInRevisionById,
  'GET /spaces/:spaceId/revisions/:revisionId/changes': changes.getRevisionSemanticChanges,

  // Change requests
  'GET /orgs/:organizationId/change-requests': listChangeRequestsForOrganization,
  'GET /spaces/:spaceId/change-requests': changeRequests.listChangeRequestsForSpace,
  'POST /spaces/:spaceId/change-requests': changeRequests.createChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.getChangeRequestById,
  'PATCH /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.updateChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/merge': changeRequests.mergeChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/update': changeRequests.updateChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/contributors':
    changeRequests.getContributorsByChangeRequestId,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/changes': changes.getChangeRequestChanges,

  // Reviews of a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers':
    reviewers.getRequestedReviewersByChangeRequestId,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers':
    reviewers.requestReviewersForChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers/:userId':
    reviewers.removeRequestedReviewerFromChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/reviews': reviews.getReviewsByChangeRequestId,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/reviews': reviews.submitChangeRequestReview,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/reviews/:reviewId':
    reviews.getChangeRequestReviewById,

  // Comments in a space
  'GET /spaces/:spaceId/comments': comments.listCommentsInSpace,
  'POST /spaces/:spaceId/comments': comments.postCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId': comments.getCommentInSpace,
  'PUT /spaces/:spaceId/comments/:commentId': comments.updateCommentInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId': comments.deleteCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies': comments.listCommentRepliesInSpace,
  'POST /spaces/:spaceId/comments/:commentId/replies': comments.postCommentReplyInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': comments.getCommentReplyInSpace,
  'PUT /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': comments.updateCommentReplyInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': comments.deleteCommentReplyInSpace,
  'GET /spaces/:spaceId/commenters': comments.listCommentersInSpace,

  // Comments in a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments':
    changeRequestComments.listCommentsInChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/comments':
    changeRequestComments.postCommentInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    changeRequestComments.getCommentInChangeRequest,
  'PUT /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    changeRequestComments.updateCommentInChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    changeRequestComments.deleteCommentInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies':
    changeRequestComments.listCommentRepliesInChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies':
    changeRequestComments.postCommentReplyInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    changeRequestComments.getCommentReplyInChangeRequest,
  'PUT /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    changeRequestComments.updateCommentReplyInChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    changeRequestComments.deleteCommentReplyInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/commenters':
    changeRequestComments.listCommentersInChangeRequest,

  // What is found in content, what links where, and what is made of it
  'GET /spaces/:spaceId/search': search.searchSpaceContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/search': search.searchChangeRequestContent,
  'GET /orgs/:organizationId/search': search.searchOrganizationContent,
  'GET /spaces/:spaceId/links': contentLinks.listSpaceLinks,
  'GET /spaces/:spaceId/content/page/:pageId/links': contentLinks.listPageLinksInSpace,
  'GET /spaces/:spaceId/content/page/:pageId/backlinks': contentLinks.listSpacePageBacklinks,
  'GET /spaces/:spaceId/content/files/:fileId/backlinks': contentLinks.listSpaceFileBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/links': contentLinks.listChangeRequestLinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/links':
    contentLinks.listPageLinksInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/backlinks':
    contentLinks.listChangeRequestPageBacklinks,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId/backlinks':
    contentLinks.listChangeRequestFileBacklinks,
  'GET /spaces/:spaceId/pdf': pdf.getSpacePDF,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/pdf': pdf.getChangeRequestPDF,
  'GET /templates': templates.listTemplates,

  // Invitations of people who belong to another organization
  'GET /user/invitations': consent.listUserInvitations,
  'POST /user/invitations/:invitationId': consent.acceptUserInvitation,
  'DELETE /user/invitations/:invitationId': consent.declineUserInvitation,
  'GET /orgs/:organizationId/invitations': consent.listOrganizationInvitations,
  'DELETE /orgs/:organizationId/invitations/:invitationId': consent.deleteOrganizationInvitation,

  // OpenAPI descriptions of an organization
  'GET /orgs/:organizationId/openapi': specs.listOpenAPISpecs,
  'POST /orgs/:organizationId/openapi': specs.createOpenAPISpec,
  'GET /orgs/:organizationId/openapi/:specSlug': specs.getOpenAPISpecBySlug,
  'PUT /orgs/:organizationId/openapi/:specSlug': specs.createOrUpdateOpenAPISpecBySlug,
  'PATCH /orgs/:organizationId/openapi/:specSlug': specs.updateOpenAPISpecBySlug,
  'DELETE /orgs/:organizationId/openapi/:specSlug': specs.deleteOpenAPISpecBySlug,
  'GET /orgs/:organizationId/openapi/:specSlug/versions': specVersions.listOpenAPISpecVersions,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest': specVersions.getLatestOpenAPISpecVersion,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content':
    specVersions.getLatestOpenAPISpecVersionContent,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/latest/content/raw':
    specVersions.getLatestOpenAPISpecVersionRaw,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId': specVersions.getOpenAPISpecVersionById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content':
    specVersions.getOpenAPISpecVersionContentById,
  'GET /orgs/:organizationId/openapi/:specSlug/versions/:versionId/content/raw':
    specVersions.getOpenAPISpecVersionRawById,

  // Git sync
  'POST /spaces/:spaceId/git/import': git.importGitRepository,
  'POST /spaces/:spaceId/git/export': git.exportToGitRepository,
  'GET /spaces/:spaceId/git/info': git.getSpaceGitInfo,
  'DELETE /spaces/:spaceId/git/legacy-installation': git.deleteLegacyGitInstallation,
  'GET /spaces/:spaceId/git/operations': git.listGitOperations,
  'GET /spaces/:spaceId/git/operations/:operationId': git.getGitOperation,
})
