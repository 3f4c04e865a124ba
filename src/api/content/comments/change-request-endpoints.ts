import { changeRequest } from '../../../access/guards/change-request.ts'
import { endpoint } from '../../../http/endpoint.ts'
import {
  commentDelete,
  commentersList,
  commentPost,
  commentRead,
  commentsList,
  commentUpdate,
  repliesList,
  replyDelete,
  replyPost,
  replyRead,
  replyUpdate,
} from './operations.ts'
import { changeRequestPaths } from './schema.ts'

export const listCommentsInChangeRequest = endpoint({
  operationId: 'listCommentsInChangeRequest',
  summary: 'List the comments in a change request',
  params: changeRequestPaths.scope,
  access: changeRequest('read'),
  ...commentsList,
})

export const postCommentInChangeRequest = endpoint({
  operationId: 'postCommentInChangeRequest',
  summary: 'Post a comment in a change request',
  params: changeRequestPaths.scope,
  access: changeRequest('comment'),
  ...commentPost,
})

export const getCommentInChangeRequest = endpoint({
  operationId: 'getCommentInChangeRequest',
  summary: 'Get a comment in a change request',
  params: changeRequestPaths.comment,
  access: changeRequest('read'),
  ...commentRead,
})

export const updateCommentInChangeRequest = endpoint({
  operationId: 'updateCommentInChangeRequest',
  summary: 'Update a comment in a change request',
  params: changeRequestPaths.comment,
  access: changeRequest('comment'),
  ...commentUpdate,
})

export const deleteCommentInChangeRequest = endpoint({
  operationId: 'deleteCommentInChangeRequest',
  summary: 'Delete a comment in a change request',
  params: changeRequestPaths.comment,
  access: changeRequest('comment'),
  ...commentDelete,
})

export const listCommentRepliesInChangeRequest = endpoint({
  operationId: 'listCommentRepliesInChangeRequest',
  summary: 'List the replies to a comment in a change request, oldest first',
  params: changeRequestPaths.comment,
  access: changeRequest('read'),
  ...repliesList,
})

export const postCommentReplyInChangeRequest = endpoint({
  operationId: 'postCommentReplyInChangeRequest',
  summary: 'Reply to a comment in a change request',
  params: changeRequestPaths.comment,
  access: changeRequest('comment'),
  ...replyPost,
})

export const getCommentReplyInChangeRequest = endpoint({
  operationId: 'getCommentReplyInChangeRequest',
  summary: 'Get a reply to a comment in a change request',
  params: changeRequestPaths.reply,
  access: changeRequest('read'),
  ...replyRead,
})

export const updateCommentReplyInChangeRequest = endpoint({
  operationId: 'updateCommentReplyInChangeRequest',
  summary: 'Update a reply to a comment in a change request',
  params: changeRequestPaths.reply,
  access: changeRequest('comment'),
  ...replyUpdate,
})

export const deleteCommentReplyInChangeRequest = endpoint({
  operationId: 'deleteCommentReplyInChangeRequest',
  summary: 'Delete a reply to a comment in a change request',
  params: changeRequestPaths.reply,
  access: changeRequest('comment'),
  ...replyDelete,
})

export const listCommentersInChangeRequest = endpoint({
  operationId: 'listCommentersInChangeRequest',
  summary: 'List the members with comments or replies in a change request',
  params: changeRequestPaths.scope,
  access: changeRequest('read'),
  ...commentersList,
})
