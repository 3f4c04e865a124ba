import { routes } from '../../http/endpoint.ts'
import * as changes from '../content/change-requests/changes-endpoints.ts'
import * as changeRequests from '../content/change-requests/endpoints.ts'
import { listChangeRequestsForOrganization } from '../content/change-requests/organization-endpoints.ts'
import * as previewLinks from '../content/change-requests/preview-links/endpoints.ts'
import * as reverts from '../content/change-requests/revert-endpoints.ts'
import * as viewed from '../content/change-requests/viewed-endpoints.ts'
import * as reviews from '../content/reviews/endpoints.ts'
import * as reviewers from '../content/reviews/reviewer-endpoints.ts'

/** Change requests and their reviews. */
export const changeRequestsRoutes = routes({
  // Change requests
  'GET /orgs/:organizationId/change-requests': listChangeRequestsForOrganization,
  'GET /spaces/:spaceId/change-requests': changeRequests.listChangeRequestsForSpace,
  'POST /spaces/:spaceId/change-requests': changeRequests.createChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.getChangeRequestById,
  'PATCH /spaces/:spaceId/change-requests/:changeRequestId': changeRequests.updateChangeRequestById,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/merge': changeRequests.mergeChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/update':
    changeRequests.updateChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/revert': reverts.revertChangeRequest,
  'POST /spaces/:spaceId/content/revert': reverts.revertContent,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/conflicts':
    changeRequests.listChangeRequestConflicts,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/contributors':
    changeRequests.getContributorsByChangeRequestId,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/changes': changes.getChangeRequestChanges,

  'GET /spaces/:spaceId/change-requests/:changeRequestId/preview-links':
    previewLinks.listPreviewLinksOfChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/preview-links':
    previewLinks.createPreviewLinkOfChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/preview-links/:previewLinkId':
    previewLinks.deletePreviewLinkOfChangeRequest,

  'GET /spaces/:spaceId/change-requests/:changeRequestId/viewed':
    viewed.listViewedItemsInChangeRequest,
  'PUT /spaces/:spaceId/change-requests/:changeRequestId/viewed/:itemId':
    viewed.markItemAsViewedInChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/viewed/:itemId':
    viewed.unmarkItemAsViewedInChangeRequest,

  // Reviews of a change request
  'GET /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers':
    reviewers.getRequestedReviewersByChangeRequestId,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers':
    reviewers.requestReviewersForChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/requested-reviewers/:userId':
    reviewers.removeRequestedReviewerFromChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/reviews':
    reviews.getReviewsByChangeRequestId,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/reviews':
    reviews.submitChangeRequestReview,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/reviews/:reviewId':
    reviews.getChangeRequestReviewById,
})
