import { z } from 'zod'
import { PageQuery, QueryFlag } from '../../../http/list.ts'
import { ChangeRequestPath } from '../../base/paths-schema.ts'
import { User } from '../../base/users/schema.ts'
import { NewDescription } from '../change-requests/description-schema.ts'
import { Subject } from '../change-requests/schema.ts'
import { NewBody } from '../comments/body-schema.ts'
import { Comment, FormatQuery } from '../comments/schema.ts'

export const RequestedReviewer = z
  .object({
    object: z.literal('change-request-requested-reviewer'),
    revision: z
      .string()
      .meta({ description: 'The head of the change request at the time of the request.' }),
    requestedBy: User,
    createdAt: z.string(),
    kind: z.literal('user'),
    user: User,
  })
  .meta({
    id: 'ChangeRequestRequestedReviewer',
    description: 'A user who was asked to review a change request.',
    sentences: {
      requestedBy: 'The user who asked.',
      user: 'The user who was asked.',
      createdAt: 'The time at which the user was asked.',
    },
  })

export const ReviewerPath = ChangeRequestPath.extend({ userId: z.string() })

export const ReviewersBody = z.strictObject({
  users: z
    .array(z.string().min(1).max(100))
    .min(1, 'takes the ids of 1 to 100 users')
    .max(100, 'takes the ids of 1 to 100 users')
    .meta({ description: 'The ids of the users who are asked, 1 to 100.' }),
  subject: Subject.optional().meta({ description: 'The new subject of the change request.' }),
  description: NewDescription.optional().meta({
    description: 'The new description of the change request.',
  }),
})

export const AskedReviewers = z.object({ users: z.array(RequestedReviewer) }).meta({
  id: 'AskedReviewers',
  description: 'The users who are asked for a review after the request.',
  sentences: { users: 'The requests for a review, one for each user.' },
})

const Status = z.enum(['approved', 'changes-requested'], 'takes approved or changes-requested')

export const Review = z
  .object({
    object: z.literal('change-request-review'),
    id: z.string(),
    revision: z.string(),
    reviewer: User,
    requestedBy: User.optional(),
    status: Status,
    outdated: z.boolean().meta({
      description: 'True when the change request has, or was merged at, another revision.',
    }),
    comment: Comment.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'ChangeRequestReview',
    description: 'The review of one revision of a change request by a user.',
    sentences: {
      revision: 'The revision that was reviewed.',
      reviewer: 'The user who gave it.',
      requestedBy:
        'The user who requested the review; left out for a review that was not requested.',
      status:
        '`approved`: it can be merged. `changes-requested`: it should not be merged as it is.',
      comment:
        'The remark that came with it, which is also among the comments; left out without one.',
    },
  })

export const ReviewPath = ChangeRequestPath.extend({ reviewId: z.string() })

export const ReviewQuery = FormatQuery

export const ReviewsQuery = PageQuery.extend({
  format: FormatQuery.shape.format,
  outdated: QueryFlag.optional().meta({
    description: 'Only outdated reviews, or only current ones.',
  }),
})

export const ReviewBody = z.strictObject({
  status: Status.meta({
    description:
      '`approved`: it can be merged. `changes-requested`: it should not be merged as it is.',
  }),
  comment: NewBody.optional(),
  revision: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The revision that you have seen: 409 when it is not the current one.' }),
})
