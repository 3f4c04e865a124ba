import { routes } from '../../http/endpoint.ts'
import * as changeRequestComments from '../content/comments/change-request-endpoints.ts'
import * as comments from '../content/comments/endpoints.ts'

/** Comments in spaces and change requests. */
export const commentsRoutes = routes({
  // Comments in a space
  'GET /spaces/:spaceId/comments': comments.listCommentsInSpace,
  'POST /spaces/:spaceId/comments': comments.postCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId': comments.getCommentInSpace,
  'PUT /spaces/:spaceId/comments/:commentId': comments.updateCommentInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId': comments.deleteCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies': comments.listCommentRepliesInSpace,
  'POST /spaces/:spaceId/comments/:commentId/replies': comments.postCommentReplyInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies/:commentReplyId':
    comments.getCommentReplyInSpace,
  'PUT /spaces/:spaceId/comments/:commentId/replies/:commentReplyId':
    comments.updateCommentReplyInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId/replies/:commentReplyId':
    comments.deleteCommentReplyInSpace,
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
})
