import { z } from 'zod'
import { PageQuery, QuerySearch } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { Hunks } from '../../base/hunks-schema.ts'
import { User } from '../../base/users/schema.ts'
import { TemplateChoice } from '../../spaces/templates/schema.ts'
import { Description, NewDescription } from './description-schema.ts'

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
}).meta({ id: 'MergeConflict' })

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
  .meta({ id: 'ChangeRequest' })

export const ChangeRequestQuery = PageQuery.extend({
  status: Status.optional().meta({
    description: 'Only change requests with this status. Default: `open`.',
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

export const Subject = lineOfText(0, 100)

/** Unknown properties are accepted and ignored. */
export const NewChangeRequest = z.looseObject({
  subject: Subject.optional(),
  description: NewDescription.optional(),
  template: TemplateChoice.optional().meta({
    description: 'A template whose files become the first commit.',
  }),
})

export const ChangeRequestEdit = z.strictObject({
  subject: Subject.optional(),
  description: NewDescription.optional(),
  status: z
    .enum(
      ['draft', 'open', 'archived'],
      'takes draft, open or archived; to merge, use the merge operation',
    )
    .optional(),
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

export const MergeOutcome = outcome('merge').meta({ id: 'MergeOutcome' })

export const UpdateOutcome = outcome('update').meta({ id: 'UpdateOutcome' })

const ResolutionPath = z.string().min(1).max(1024)
const Name = z.string().max(4096)
const Side = z.enum(['ours', 'theirs'])
const ResolvedText = z.string().max(10_000_000)

const inParts =
  '`hunks` has a choice for each hunk of the conflict; text around them is merged. `entries` has one for each entry of a table of contents.'

const Resolutions = z
  .array(
    z.union(
      [
        z.strictObject({ path: ResolutionPath, take: Side }),
        z.strictObject({ path: ResolutionPath, content: ResolvedText }),
        z.strictObject({
          path: ResolutionPath,
          hunks: z
            .array(
              z.union([
                z.strictObject({ hunk: Name, take: z.enum(['ours', 'theirs', 'both']) }),
                z.strictObject({ hunk: Name, content: ResolvedText }),
              ]),
            )
            .max(1000),
        }),
        z.strictObject({
          path: ResolutionPath,
          entries: z.array(z.strictObject({ entry: Name, take: Side })).max(1000),
        }),
      ],
      'takes {"path", "take": "ours" or "theirs"}, {"path", "content"} with at most 10,000,000 characters, {"path", "hunks"} with {"hunk", "take"} or {"hunk", "content"} for each hunk of the conflict, or {"path", "entries"} with {"entry", "take"} for each entry of it',
    ),
  )
  .max(1000)
  .optional()

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
  .meta({ id: 'RevertOutcome' })

export const Contributor = z
  .object({
    user: User,
    count: z.int(),
    updatedAt: z.string(),
    actionType: z.enum(['edit', 'comment']),
  })
  .meta({ id: 'ChangeRequestUserContributor' })
