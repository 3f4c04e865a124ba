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
        'The entries of a table of contents that both sides changed in ways that do not fit, in each version that has them. Present if a choice for each of them merges the file.',
    }),
}).meta({
  id: 'MergeConflict',
  description: 'A file that both sides changed in ways that do not fit together.',
  sentences: {
    path: 'The path of the file in the repository.',
    'entries.entry': 'Its name, which a resolution repeats.',
    'entries.base': 'The entry in the common ancestor.',
    'entries.ours': 'The entry on the side `ours`.',
    'entries.theirs': 'The entry on the side `theirs`.',
    'entries.base.target': 'What the entry leads to.',
    'entries.ours.target': 'What the entry leads to.',
    'entries.theirs.target': 'What the entry leads to.',
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
        'Whether a merge has no conflicts and meets the merge rules; the role of the caller does not count. In the answer of `GET` of one change request that is not merged or archived.',
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
      number: 'Its number in the space, from 1 on. Paths take it in place of the id.',
      status:
        '`draft` and `open` can be merged, `archived` has to be reopened first, and `merged` is final.',
      subject: 'One line that says what it changes; empty for a draft without one.',
      description: 'Why it is made, as a document; left out while there is none.',
      createdBy: 'The user who opened it.',
      space: 'The id of the space that it changes.',
      revision: 'Its current content: the head of its branch, or after a merge the last one.',
      revisionInitial:
        'The revision of the primary content from which it started. It never changes.',
      revisionMergedAncestor:
        'The primary content that it was last updated with; left out before the first update.',
      revisionMerged:
        'The revision of the primary content that the merge made; left out until then.',
      comments: 'The number of its open comments.',
      outdated: 'Whether the primary content has moved on since it started or was last updated.',
      'conflicts.path': 'The path of the file in the repository.',
      'unmetRules.rule': 'The name of the rule, as in the merge rules.',
      'unmetRules.message': 'What is missing, as a sentence.',
      conversationsIssuesCluster:
        'The id that a client has given to a group of conversations from which it came.',
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
      'Only change requests that wait for this user (an id): asked for a review, they have given none of the current revision.',
  }),
  changesAskedOf: z.string().optional().meta({
    description:
      'Only change requests that this user (an id) created and has to change: the latest review of the current revision by one of its reviewers asks for changes.',
  }),
  search: QuerySearch.optional().meta({
    description: 'A part of the subject, in any case, or a number such as `12` or `#12`.',
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
  description: 'What became of a merge.',
  sentences: {
    revision:
      'The revision of the primary content that the merge made; with conflicts, the one it still has.',
    result: '`merge`: it is merged. `conflicts`: nothing was changed.',
    conflicts: 'The conflicts that have to be resolved by an update; left out without any.',
  },
})

export const UpdateOutcome = outcome('update').meta({
  id: 'UpdateOutcome',
  description: 'What became of an update of a change request with the primary content.',
  sentences: {
    revision:
      'The revision of the change request after the update; with conflicts, the one it still has.',
    result: '`update`: it contains the primary content now. `conflicts`: nothing was changed.',
    conflicts: 'The conflicts that `resolutions` have to resolve; left out without any.',
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
    description: 'What became of a revert.',
    sentences: {
      result: '`revert`: the change request exists. `conflicts`: nothing was changed.',
      changeRequest: 'The new change request, which undoes the change; left out with conflicts.',
      conflicts: 'The conflicts that `resolutions` have to resolve; left out without any.',
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
    description: 'Someone who took part in a change request, once for edits and once for comments.',
    sentences: {
      user: 'Who took part.',
      count: 'How many commits or comments are theirs.',
      updatedAt: 'The time of the last of them.',
      actionType: '`edit` counts commits, `comment` comments and replies.',
    },
  })
