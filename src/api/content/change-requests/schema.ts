import { z } from 'zod'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { Hunks } from '../../base/hunks-schema.ts'
import { User } from '../../base/users/schema.ts'
import { TemplateChoice } from '../../spaces/templates/schema.ts'
import { Description, NewDescription } from './description-schema.ts'
import { inParts, Resolutions } from './resolutions-schema.ts'

const Status = z.enum(['draft', 'open', 'archived', 'merged'])

const ConflictingFile = z.object({
  path: z.string(),
  page: z.string().optional().meta({ description: 'The id of the page in this file.' }),
  type: z
    .string()
    .meta({ description: 'For example content, modify/delete, add/add, rename/rename, binary.' }),
})

const Entry = z
  .object({
    title: z.string(),
    target: z.string().optional(),
    parent: z.string().optional().meta({ description: 'The title of the entry or group above.' }),
    after: z.string().optional().meta({ description: 'The title of the entry before.' }),
  })
  .optional()

export const Conflict = ConflictingFile.extend({
  hunks: Hunks.optional(),
  entries: z
    .array(z.object({ entry: z.string(), base: Entry, ours: Entry, theirs: Entry }))
    .optional()
    .meta({
      description:
        'The entries of a table of contents that both sides changed differently. Present if choosing a side for each entry resolves the conflict of the file. A version that does not have the entry is left out.',
    }),
}).meta({
  id: 'MergeConflict',
  description: 'A file with conflicting changes on both sides.',
  sentences: {
    path: 'The path of the file in the repository.',
    'entries.entry': 'The identifier of the entry. A resolution refers to the entry by it.',
    'entries.base': 'The entry in the common ancestor.',
    'entries.ours': 'The entry on the side `ours`.',
    'entries.theirs': 'The entry on the side `theirs`.',
    'entries.base.target': 'The target of the entry.',
    'entries.ours.target': 'The target of the entry.',
    'entries.theirs.target': 'The target of the entry.',
  },
})

const UnmetRule = z.object({ rule: z.string(), message: z.string() })

export const ChangeRequest = z
  .object({
    object: z.literal('change-request'),
    id: z.string(),
    number: z.int(),
    status: Status,
    subject: z.string().meta({ maxLength: 100 }),
    description: Description.optional(),
    createdBy: User,
    createdAt: z.string(),
    updatedAt: z.string(),
    space: z.string(),
    revision: z.string(),
    revisionInitial: z.string(),
    revisionMergedAncestor: z.string().optional(),
    revisionMerged: z.string().optional(),
    branch: z
      .string()
      .optional()
      .meta({ description: 'The name of the branch that the change request was pushed as.' }),
    comments: z.int(),
    outdated: z.boolean(),
    mergeable: z.boolean().optional().meta({
      description:
        'Whether a merge has no conflicts and meets the merge rules; the role of the caller does not count. Only in the answer of `GET` of a single change request that is open or a draft.',
    }),
    conflicts: z.array(ConflictingFile).optional().meta({
      description:
        'The files that a merge would conflict in, beside `mergeable`. `GET …/conflicts` has their texts.',
    }),
    unmetRules: z.array(UnmetRule).optional().meta({
      description:
        'The merge rules that are not met, beside `mergeable`, for users with at least the role `edit`.',
    }),
    conversationsIssuesCluster: z.string().optional(),
    urls: z.object({ app: z.string(), location: z.string() }),
  })
  .meta({
    id: 'ChangeRequest',
    description:
      'A proposed change: a branch of the space with a discussion, merged by a Git merge.',
    sentences: {
      number: 'The number in the space, starting at 1. Paths accept it in place of the id.',
      status:
        '`draft` and `open` can be merged, `archived` has to be reopened first, and `merged` is final.',
      subject: 'One line about the change; empty for a draft without a subject.',
      description: 'The reason for the change, as a document; left out without one.',
      createdBy: 'The user who opened it.',
      space: 'The id of the space that it changes.',
      revision:
        'The id of its current revision: the head of its branch; after the merge, the last head.',
      revisionInitial:
        'The revision of the primary content from which the branch was created. It never changes.',
      revisionMergedAncestor:
        'The revision of the primary content with which it was last updated; left out before the first update.',
      revisionMerged: 'The revision that the merge created; left out before the merge.',
      comments: 'The number of its open comments.',
      outdated:
        'Whether the primary content has changed since the change request was created or last updated.',
      'conflicts.path': 'The path of the file in the repository.',
      'unmetRules.rule': 'The name of the rule, as in the merge rules.',
      'unmetRules.message': 'What is missing, as a sentence.',
      conversationsIssuesCluster: 'The id of a group of conversations, as a client has set it.',
    },
  })

export const ChangeRequestQuery = PageQuery.extend({
  status: Status.optional().meta({
    description: 'Only change requests with this status. Default: `open`.',
  }),
  orderBy: z.enum(['createdAt', 'updatedAt']).default('createdAt').meta({
    description: 'Newest first, by creation or by last change. Default: `createdAt`.',
  }),
  creator: z
    .string()
    .optional()
    .meta({ description: 'Only change requests created by this user (an id).' }),
  contributor: z.string().optional().meta({
    description: 'Only change requests that this user committed to or commented on (an id).',
  }),
  requestedReviewer: z
    .string()
    .optional()
    .meta({ description: 'Only change requests that this user was asked to review (an id).' }),
  waitingFor: z.string().optional().meta({
    description:
      'Only change requests that wait for a review of the current revision by this user (an id).',
  }),
  changesAskedOf: z.string().optional().meta({
    description:
      'Only change requests of this user (an id) for which a reviewer has requested changes of the current revision.',
  }),
  search: QuerySearch.optional().meta({
    description: 'A part of the subject, ignoring case, or a number such as `12` or `#12`.',
  }),
  conversationsIssuesCluster: z
    .string()
    .optional()
    .meta({ description: 'Only change requests of this cluster (an id).' }),
})

export const OrganizationChangeRequestQuery = ChangeRequestQuery.extend({
  space: z.string().optional().meta({ description: 'Only change requests of this space (an id).' }),
  site: z
    .string()
    .optional()
    .meta({ description: 'Only change requests of the spaces on this site (an id).' }),
})

export const Subject = lineOfText(0, 100)

/** Unknown properties are accepted and ignored. */
export const NewChangeRequest = z.looseObject({
  subject: Subject.optional().meta({
    description: 'One line that says what it changes. Without it, the change request is a draft.',
  }),
  description: NewDescription.optional(),
  template: TemplateChoice.optional().meta({
    description: 'A template whose files become the first commit.',
  }),
})

export const ChangeRequestEdit = z.strictObject({
  subject: Subject.optional().meta({
    description: 'One line that says what it changes; only a draft may have an empty one.',
  }),
  description: NewDescription.optional(),
  status: z
    .enum(
      ['draft', 'open', 'archived'],
      'takes draft, open or archived; to merge, use the merge operation',
    )
    .optional()
    .meta({ description: 'The new status; `open` also reopens an archived one.' }),
})

const outcome = <Result extends string>(result: Result) =>
  z.object({
    revision: z.string(),
    result: z.enum([result, 'conflicts']),
    conflicts: z.array(Conflict).optional(),
  })

/** The contract answers conflicts with 200, which programs take for success. */
export const ConflictQuery = z.strictObject({
  conflict: z.literal('409').optional().meta({
    description:
      'With `409`, conflicts are a 409 whose `details.conflicts` lists them. Default: a 200 with `result: "conflicts"`.',
  }),
})

/** No property is required; unknown ones are ignored. */
export const MergeBody = z.looseObject({
  bypassRules: z
    .boolean()
    .optional()
    .meta({ description: 'Merges although merge rules are not met. For admins of the space.' }),
})

export const MergeOutcome = outcome('merge').meta({
  id: 'MergeOutcome',
  description: 'The result of a merge.',
  sentences: {
    revision:
      'The revision that the merge created; with conflicts, the unchanged head of the primary content.',
    result: '`merge`: it is merged. `conflicts`: nothing was changed.',
    conflicts: 'The conflicts, which an update has to resolve; left out if there are none.',
  },
})

export const UpdateOutcome = outcome('update').meta({
  id: 'UpdateOutcome',
  description: 'The result of an update of a change request with the primary content.',
  sentences: {
    revision:
      'The revision of the change request after the update; with conflicts, its unchanged head.',
    result: '`update`: it contains the primary content now. `conflicts`: nothing was changed.',
    conflicts: 'The conflicts, which `resolutions` have to resolve; left out if there are none.',
  },
})

export const UpdateBody = z.strictObject({
  resolutions: Resolutions.meta({
    description: `The resolution of each conflict: \`ours\` is the side of the change request, \`theirs\` that of the primary content. ${inParts}`,
  }),
})

const reverted = {
  subject: Subject.optional().meta({ description: 'Default: `Revert "…"`.' }),
  description: NewDescription.optional(),
}

/** No property is required. */
export const RevertBody = z.strictObject({
  ...reverted,
  resolutions: Resolutions.meta({
    description: `The resolution of each conflict: \`ours\` is the primary content, \`theirs\` the content before the merge. ${inParts}`,
  }),
})

export const ContentRevertBody = z.strictObject({
  revision: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
    .meta({ description: 'The revision whose content is restored.' }),
  ...reverted,
})

export const RevertOutcome = z
  .object({
    revision: z.string().meta({
      description: 'The head of the change request, or with conflicts that of the primary content.',
    }),
    result: z.enum(['revert', 'conflicts']),
    changeRequest: ChangeRequest.optional(),
    conflicts: z.array(Conflict).optional(),
  })
  .meta({
    id: 'RevertOutcome',
    description: 'The result of a revert.',
    sentences: {
      result: '`revert`: the change request exists. `conflicts`: nothing was changed.',
      changeRequest: 'The new change request, which undoes the change; left out with conflicts.',
      conflicts: 'The conflicts, which `resolutions` have to resolve; left out if there are none.',
    },
  })

export const Contributor = z
  .object({
    user: User,
    count: z.int(),
    updatedAt: z.string(),
    actionType: z.enum(['edit', 'comment']),
  })
  .meta({
    id: 'ChangeRequestUserContributor',
    description:
      'A user who contributed to a change request. A user with edits and comments is listed twice.',
    sentences: {
      user: 'The user who contributed.',
      count: 'The number of commits, or of comments and replies, of the user.',
      updatedAt: 'The time of the last commit or comment.',
      actionType: '`edit` counts commits, `comment` comments and replies.',
    },
  })
