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
  description: 'Returns comments, by default the newest first. Filters can be combined.',
  query: CommentsQuery,
  reply: listOf(Comment),
  handle: readComments,
}

export const commentPost = {
  description:
    'Posts a comment on the space or change request as a whole; with `page`, on a page; with `page` and `node`, on a heading or line of the page. `target` in the answer has the revision that was current.',
  body: NewComment,
  reply: Comment,
  handle: postComment,
}

export const commentRead = {
  description:
    'Returns the comment with its target, its reactions and the users who replied. `GET …/replies` returns the replies.',
  query: FormatQuery,
  reply: Comment,
  handle: readComment,
}

export const commentUpdate = {
  description:
    'Edits the text, resolves or reopens the comment, and adds or removes reactions of the caller. Only the author can edit the text. To resolve or reopen a comment of another user, you need the role `review`.',
  body: CommentEdit,
  reply: Comment,
  handle: editComment,
}

export const commentDelete = {
  description:
    'Deletes the comment with its replies and reactions. Only the author of the comment and admins can delete it.',
  reply: nothing as typeof nothing,
  handle: removeComment,
}

export const repliesList = {
  description: 'Returns all replies to the comment, which may be open or resolved.',
  query: RepliesQuery,
  reply: listOf(CommentReply),
  handle: readReplies,
}

export const replyPostInSpace = {
  description: 'Adds a reply at the end of the thread. A resolved comment stays resolved.',
  body: NewReply,
  reply: CommentReply,
  handle: postReply,
}

export const replyPost = { ...replyPostInSpace, query: FormatQuery }

export const replyRead = {
  description: 'Returns the reply. The answer is a 404 if the reply belongs to another comment.',
  query: FormatQuery,
  reply: CommentReply,
  handle: readReply,
}

export const replyUpdateInSpace = {
  description:
    'Edits the text of the reply, and adds or removes reactions of the caller. Only the author can edit the text.',
  body: ReplyEdit,
  reply: CommentReply,
  handle: editReply,
}

export const replyUpdate = {
  ...replyUpdateInSpace,
  description: `${replyUpdateInSpace.description} \`resolved\` resolves or reopens the comment that the reply belongs to.`,
  body: CommentEdit,
}

export const replyDelete = {
  description: 'Deletes the reply. Only the author of the reply and admins can delete it.',
  reply: nothing as typeof nothing,
  handle: removeReply,
}

export const commentersList = {
  description:
    'Returns the members of the organization who posted a comment or reply there, for example to offer a filter by author.',
  query: PageQuery,
  reply: listOf(Member),
  handle: readCommenters,
}
