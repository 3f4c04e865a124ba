import { spaceComments } from '../../../access/guards/comment.ts'
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
  replyPostInSpace,
  replyRead,
  replyUpdateInSpace,
} from './operations.ts'
import { spacePaths } from './schema.ts'

export const listCommentsInSpace = endpoint({
  operationId: 'listCommentsInSpace',
  summary: 'List the comments in a space',
  params: spacePaths.scope,
  access: spaceComments('read'),
  ...commentsList,
})

export const postCommentInSpace = endpoint({
  operationId: 'postCommentInSpace',
  summary: 'Post a comment in a space',
  params: spacePaths.scope,
  access: spaceComments('comment'),
  ...commentPost,
})

export const getCommentInSpace = endpoint({
  operationId: 'getCommentInSpace',
  summary: 'Get a comment in a space',
  params: spacePaths.comment,
  access: spaceComments('read'),
  ...commentRead,
})

export const updateCommentInSpace = endpoint({
  operationId: 'updateCommentInSpace',
  summary: 'Update a comment in a space',
  params: spacePaths.comment,
  access: spaceComments('comment'),
  ...commentUpdate,
})

export const deleteCommentInSpace = endpoint({
  operationId: 'deleteCommentInSpace',
  summary: 'Delete a comment in a space',
  params: spacePaths.comment,
  access: spaceComments('comment'),
  ...commentDelete,
})

export const listCommentRepliesInSpace = endpoint({
  operationId: 'listCommentRepliesInSpace',
  summary: 'List the replies to a comment in a space, oldest first',
  params: spacePaths.comment,
  access: spaceComments('read'),
  ...repliesList,
})

export const postCommentReplyInSpace = endpoint({
  operationId: 'postCommentReplyInSpace',
  summary: 'Reply to a comment in a space',
  params: spacePaths.comment,
  access: spaceComments('comment'),
  ...replyPostInSpace,
})

export const getCommentReplyInSpace = endpoint({
  operationId: 'getCommentReplyInSpace',
  summary: 'Get a reply to a comment in a space',
  params: spacePaths.reply,
  access: spaceComments('read'),
  ...replyRead,
})

export const updateCommentReplyInSpace = endpoint({
  operationId: 'updateCommentReplyInSpace',
  summary: 'Update a reply to a comment in a space',
  params: spacePaths.reply,
  access: spaceComments('comment'),
  ...replyUpdateInSpace,
})

export const deleteCommentReplyInSpace = endpoint({
  operationId: 'deleteCommentReplyInSpace',
  summary: 'Delete a reply to a comment in a space',
  params: spacePaths.reply,
  access: spaceComments('comment'),
  ...replyDelete,
})

export const listCommentersInSpace = endpoint({
  operationId: 'listCommentersInSpace',
  summary: 'List the members with comments or replies in a space',
  params: spacePaths.scope,
  access: spaceComments('read'),
  ...commentersList,
})
