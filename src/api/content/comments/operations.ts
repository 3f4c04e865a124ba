import { nothing } from '../../../http/endpoint.ts'
import { listOf, PageQuery } from '../../../http/list.ts'
import { Member } from '../../people/members/schema.ts'
import { readComment, readCommenters, readComments, readReplies, readReply } from './read.ts'
import {
  Comment,
  CommentEdit,
  CommentReply,
  CommentsQuery,
  FormatQuery,
  NewComment,
  NewReply,
  RepliesQuery,
  ReplyEdit,
} from './schema.ts'
import {
  editComment,
  editReply,
  postComment,
  postReply,
  removeComment,
  removeReply,
} from './write.ts'

/**
 * The operations on comments, shared by spaces and change requests. An endpoint adds its name, path
 * and guard.
 */
export const commentsList = {
  description: 'Newest first by default. Filters combine.',
  query: CommentsQuery,
  reply: listOf(Comment),
  handle: readComments,
}

export const commentPost = {
  description:
    'About the space or change request as a whole, or with `page` about a page, and with `node` about a heading or line of it. The answer names in `target` the revision that was current.',
  body: NewComment,
  reply: Comment,
  handle: postComment,
}

export const commentRead = {
  description:
    'With its target, reactions and the users who replied; `GET …/replies` has the replies.',
  query: FormatQuery,
  reply: Comment,
  handle: readComment,
}

export const commentUpdate = {
  description:
    "Only its author can edit the text. Resolving or reopening another user's comment needs the role `review`. Reactions are the caller's own; each emoji counts once.",
  body: CommentEdit,
  reply: Comment,
  handle: editComment,
}

export const commentDelete = {
  description: 'With its replies and reactions. Admins can delete comments of other users.',
  reply: nothing as typeof nothing,
  handle: removeComment,
}

export const repliesList = {
  description: 'All replies of the thread, whether it is open or resolved.',
  query: RepliesQuery,
  reply: listOf(CommentReply),
  handle: readReplies,
}

export const replyPostInSpace = {
  description: 'The reply is the last one of the thread. A resolved comment stays resolved.',
  body: NewReply,
  reply: CommentReply,
  handle: postReply,
}

export const replyPost = { ...replyPostInSpace, query: FormatQuery }

export const replyRead = {
  description: 'A reply is found below its own comment only.',
  query: FormatQuery,
  reply: CommentReply,
  handle: readReply,
}

export const replyUpdateInSpace = {
  description:
    "Only its author can edit the text. Reactions are the caller's own; each emoji counts once.",
  body: ReplyEdit,
  reply: CommentReply,
  handle: editReply,
}

export const replyUpdate = {
  ...replyUpdateInSpace,
  description: `${replyUpdateInSpace.description} \`resolved\` applies to the comment that it replies to.`,
  body: CommentEdit,
}

export const replyDelete = {
  description: 'Admins can delete replies of other users.',
  reply: nothing as typeof nothing,
  handle: removeReply,
}

export const commentersList = {
  description:
    'The users who posted there, as members of the organization: for a filter by author.',
  query: PageQuery,
  reply: listOf(Member),
  handle: readCommenters,
}
