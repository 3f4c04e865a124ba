import { routes } from '../../http/endpoint.ts'
import * as reviewers from './reviewers.ts'
import * as reviews from './reviews.ts'

export const reviewRoutes = routes({
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
})
