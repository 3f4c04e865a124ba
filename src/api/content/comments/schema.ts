import { z } from 'zod'
import { mostEmoji } from '../../../actions/comments/react.ts'
import { normalEmoji } from '../../../content/text/emoji.ts'
import { PageQuery } from '../../../http/list.ts'
import { findInvisible } from '../../../lib/invisible.ts'
import { User } from '../../base/users/schema.ts'
import { Body, NewBody } from './body-schema.ts'

const Space = z.object({ spaceId: z.string() })
const ChangeRequest = Space.extend({
  changeRequestId: z
    .string()
    .meta({ description: 'The id of the change request, or its number in the space.' }),
})
const comment = { commentId: z.string() }
const reply = { ...comment, commentReplyId: z.string() }

/** The params of a scope, of a comment in it, and of a reply to a comment. */
export const spacePaths = {
  scope: Space,
  comment: Space.extend(comment),
  reply: Space.extend(reply),
}
export const changeRequestPaths = {
  scope: ChangeRequest,
  comment: ChangeRequest.extend(comment),
  reply: ChangeRequest.extend(reply),
}

const Reactions = z.array(
  z
    .object({
      emoji: z.string().meta({
        description: 'The characters of the emoji, in one form for all who reacted with it.',
      }),
      count: z.int(),
      users: z.array(z.object({ user: User, reactedAt: z.string() })).meta({
        description:
          'The users who reacted. Users are included for the first 1,000 reactions of a comment.',
      }),
    })
    .meta({
      id: 'EmojiReaction',
      description: 'All reactions with one emoji.',
      sentences: {
        count: 'How many users reacted with it.',
        'users.user': 'The user who reacted.',
        'users.reactedAt': 'The time of the reaction.',
      },
    }),
)

const Permissions = z.object({
  view: z.boolean(),
  edit: z.boolean(),
  reply: z.boolean(),
  delete: z.boolean(),
})

const TableCell = z.object({
  record: z.string().meta({ description: 'The id of the row.' }),
  definition: z.string().meta({ description: 'The id of the column.' }),
})

const shared = {
  id: z.string(),
  postedBy: User,
  postedAt: z.string(),
  editedAt: z.string().optional(),
  reactions: Reactions,
  body: Body,
  urls: z.object({ app: z.string(), location: z.string() }),
  permissions: Permissions,
}

export const Comment = z
  .object({
    object: z.literal('comment'),
    ...shared,
    replies: z.int(),
    repliers: z.array(z.object({ updatedAt: z.string(), count: z.int(), user: User })).meta({
      description:
        'The users who replied, most recent first: up to 1,000, fewer in a long list of comments.',
    }),
    target: z.object({
      node: z.object({ id: z.string() }).optional(),
      outdated: z.literal(true).optional().meta({
        description:
          'Whether the block or line has changed since the comment was posted. Only in answers that read comments.',
      }),
      tableCell: TableCell.optional(),
      changeRequest: z.string().optional(),
      review: z.string().optional(),
      page: z.object({ id: z.string() }).optional(),
      space: z.string(),
      revision: z.string().meta({ description: 'The head revision when the comment was posted.' }),
    }),
    status: z.enum(['open', 'resolved']),
    resolvedAt: z.string().optional(),
    resolvedBy: User.optional(),
  })
  .meta({
    id: 'Comment',
    description:
      'A remark on a space, a page, a place in a page, a change request or a review, with replies.',
    sentences: {
      postedBy: 'The user who wrote it.',
      postedAt: 'The time at which it was posted.',
      editedAt: 'The time of the last change of its text; left out if it was never changed.',
      reactions: 'Its reactions, one entry for each emoji.',
      body: 'The text, in the `format` of the request.',
      replies: 'The number of replies.',
      'repliers.updatedAt': 'The time of their last reply.',
      'repliers.count': 'The number of their replies.',
      'repliers.user': 'The user who replied.',
      target:
        'What the comment is about: the space, a change request, a page, or a place in a page.',
      'target.node': 'The block or line of the page; left out for the page as a whole.',
      'target.node.id':
        'The anchor of a heading, `line-…` with a digest of a line, or another name that the sender has chosen.',
      'target.tableCell': 'The cell of a table that it is on.',
      'target.tableCell.record': 'The id of the row.',
      'target.tableCell.definition': 'The id of the column.',
      'target.changeRequest':
        'The id of the change request; left out for a comment in the primary content.',
      'target.review': 'The id of the review that it came with.',
      'target.page': 'The page; left out for the space or change request as a whole.',
      'target.page.id': 'The id of the page, which may have been deleted since.',
      'target.space': 'The id of the space.',
      status: '`open` or `resolved`.',
      resolvedAt: 'The time at which it was resolved; left out while it is open.',
      resolvedBy: 'The user who resolved it; left out while it is open.',
    },
  })

export const CommentReply = z.object({ object: z.literal('comment-reply'), ...shared }).meta({
  id: 'CommentReply',
  description: 'An answer to a comment.',
  sentences: {
    postedBy: 'The user who wrote it.',
    postedAt: 'The time at which it was posted.',
    editedAt: 'The time of the last change of its text; left out if it was never changed.',
    reactions: 'Its reactions, one entry for each emoji.',
    body: 'The text, in the `format` of the request.',
  },
})

const Format = z
  .enum(['markdown', 'document'])
  .default('markdown')
  .meta({ description: 'The format of the texts.' })

export const FormatQuery = z.strictObject({ format: Format })

/** The maximum number of authors in a filter. */
const mostAuthors = 50

export const CommentsQuery = PageQuery.extend({
  format: Format,
  order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By time of posting.' }),
  status: z.enum(['all', 'open', 'resolved']).default('all'),
  targetPage: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only comments on this page (an id).' }),
  authors: z
    .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).max(mostAuthors)], {
      error: `takes up to ${mostAuthors} ids of users`,
    })
    .transform(authors => [authors].flat())
    .optional()
    .meta({
      description: 'Only comments of these users (ids). Repeat the parameter for several users.',
    }),
})

export const RepliesQuery = PageQuery.extend({ format: Format })

const Name = z.string().min(1).max(200)

export const NewComment = z.strictObject({
  body: NewBody,
  page: Name.optional().meta({ description: 'The id of a page in the current content.' }),
  node: Name.optional().meta({
    description:
      'A block or line of the page: the anchor of a heading, or `line-` and the first 12 hex digits of the SHA-256 of the line without spaces around it, with `-1` for the second line that is the same. Others are kept as they are.',
  }),
  tableCell: z
    .strictObject({
      record: Name.meta({ description: 'The id of the row.' }),
      definition: Name.meta({ description: 'The id of the column.' }),
    })
    .optional()
    .meta({ description: 'The cell of a table in the node.' }),
})

export const NewReply = z.strictObject({ body: NewBody })

const Emoji = z
  .string()
  .refine(
    text =>
      [...text].length <= 50 &&
      /^[^\s\p{Cc}\p{Noncharacter_Code_Point}]+$/u.test(text) &&
      findInvisible(text) === undefined,
    'takes an emoji: 1 to 50 characters without spaces',
  )
  .transform(normalEmoji)
  .meta({
    minLength: 1,
    maxLength: 50,
    description:
      'An emoji, or its code points in hexadecimal, such as "1f44d". Both are the same reaction.',
  })

const edits = {
  body: NewBody.optional(),
  addedReactions: z
    .array(Emoji)
    .max(mostEmoji)
    .optional()
    .meta({ description: 'The reactions of the caller to add, up to 50.' }),
  removedReactions: z
    .array(Emoji)
    .max(mostEmoji)
    .optional()
    .meta({ description: 'The reactions of the caller to remove, up to 50.' }),
}

type Edits = { addedReactions?: string[] | undefined; removedReactions?: string[] | undefined }

const isClear = ({ addedReactions = [], removedReactions = [] }: Edits): boolean =>
  !addedReactions.some(emoji => removedReactions.includes(emoji))
const unclear = {
  path: ['addedReactions'],
  error: 'has an emoji that is also in "removedReactions"; send it in one of them',
}

/** The changes of a reply in a space. */
export const ReplyEdit = z.strictObject(edits).refine(isClear, unclear)

/**
 * The changes of a comment, and of a reply in a change request, where `resolved` applies to its
 * comment.
 */
export const CommentEdit = z
  .strictObject({
    ...edits,
    resolved: z
      .boolean()
      .optional()
      .meta({ description: 'true resolves the comment, false reopens it.' }),
  })
  .refine(isClear, unclear)
