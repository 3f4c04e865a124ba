import { nothing } from '../../http/endpoint.ts'
import { PageQuery } from '../../http/list.ts'
import { Members } from '../members/schema.ts'
import { editComment, editReply } from './edit.ts'
import { postComment, postReply } from './post.ts'
import { readComment, readCommenters, readComments, readReplies, readReply } from './read.ts'
import { removeComment, removeReply } from './remove.ts'
import {
  Comment,
  CommentEdit,
  CommentReplies,
  CommentReply,
  Comments,
  CommentsQuery,
  FormatQuery,
  NewComment,
  NewReply,
  RepliesQuery,
  ReplyEdit,
} from './schema.ts'

/**
 * What can be done with comments: the same in a space and in a change request. An endpoint adds its name, its path and
 * its guard.
 */
export const commentsList = {
  description: 'Newest first, when not said otherwise. Filters combine.',
  query: CommentsQuery,
  reply: Comments,
  handle: readComments,
}

export const commentPost = {
  description: 'Its target carries the revision that was the head when it was posted.',
  body: NewComment,
  reply: Comment,
  handle: postComment,
}

export const commentRead = { query: FormatQuery, reply: Comment, handle: readComment }

export const commentUpdate = {
  description:
    "The text is changed by who posted it. Resolving somebody else's comment, or opening it again, needs the role `review`. Reactions are the caller's own, and each counts once.",
  body: CommentEdit,
  reply: Comment,
  handle: editComment,
}

export const commentDelete = {
  description: "With its replies and reactions. Somebody else's is deleted by admins.",
  reply: nothing as typeof nothing,
  handle: removeComment,
}

export const repliesList = { query: RepliesQuery, reply: CommentReplies, handle: readReplies }

export const replyPostInSpace = { body: NewReply, reply: CommentReply, handle: postReply }

export const replyPost = { ...replyPostInSpace, query: FormatQuery }

export const replyRead = { query: FormatQuery, reply: CommentReply, handle: readReply }

export const replyUpdateInSpace = {
  description: "The text is changed by who posted it. Reactions are the caller's own, and each counts once.",
  body: ReplyEdit,
  reply: CommentReply,
  handle: editReply,
}

export const replyUpdate = {
  ...replyUpdateInSpace,
  description: `${replyUpdateInSpace.description} \`resolved\` is of the comment that it replies to.`,
  body: CommentEdit,
}

export const replyDelete = {
  description: "Somebody else's is deleted by admins.",
  reply: nothing as typeof nothing,
  handle: removeReply,
}

export const commentersList = { query: PageQuery, reply: Members, handle: readCommenters }
