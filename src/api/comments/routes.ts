import { routes } from '../../http/endpoint.ts'
import * as inChangeRequest from './change-request-endpoints.ts'
import * as inSpace from './endpoints.ts'

export const commentRoutes = routes({
  'GET /spaces/:spaceId/comments': inSpace.listCommentsInSpace,
  'POST /spaces/:spaceId/comments': inSpace.postCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId': inSpace.getCommentInSpace,
  'PUT /spaces/:spaceId/comments/:commentId': inSpace.updateCommentInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId': inSpace.deleteCommentInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies': inSpace.listCommentRepliesInSpace,
  'POST /spaces/:spaceId/comments/:commentId/replies': inSpace.postCommentReplyInSpace,
  'GET /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': inSpace.getCommentReplyInSpace,
  'PUT /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': inSpace.updateCommentReplyInSpace,
  'DELETE /spaces/:spaceId/comments/:commentId/replies/:commentReplyId': inSpace.deleteCommentReplyInSpace,
  'GET /spaces/:spaceId/commenters': inSpace.listCommentersInSpace,

  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments':
    inChangeRequest.listCommentsInChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/comments':
    inChangeRequest.postCommentInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    inChangeRequest.getCommentInChangeRequest,
  'PUT /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    inChangeRequest.updateCommentInChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId':
    inChangeRequest.deleteCommentInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies':
    inChangeRequest.listCommentRepliesInChangeRequest,
  'POST /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies':
    inChangeRequest.postCommentReplyInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    inChangeRequest.getCommentReplyInChangeRequest,
  'PUT /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    inChangeRequest.updateCommentReplyInChangeRequest,
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/comments/:commentId/replies/:commentReplyId':
    inChangeRequest.deleteCommentReplyInChangeRequest,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/commenters':
    inChangeRequest.listCommentersInChangeRequest,
})
