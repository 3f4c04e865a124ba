import { z } from 'zod'
import { expressionNames } from '../../actions/change-requests/merge-rules.ts'
import { mostCharacters, parseExpression } from '../../content/expression/parse.ts'
import { Fault } from '../../errors.ts'

const users = z.array(z.string().min(1).max(100)).min(1).max(100)

const Expression = z
  .string()
  .min(1)
  .max(mostCharacters)
  .superRefine((text, check) => {
    const message = findFault(text)
    if (message !== undefined) check.addIssue({ code: 'custom', message })
  })
  .meta({
    description:
      'One JavaScript expression without side effects. The rule is met when its value is exactly `true`; any other value or an error means that it is not met. It can use `space`, `changeRequest`, `reviews` and `actor` (the user who merges) as the API shows them, without `urls`, `permissions` and comments. `reviews` contains the reviews that count: of the current revision, the last of each reviewer who may still review, without the author. Approvals by users who wrote part of the content are left out; their requests for changes are included, with `counts` false. Methods: at, charAt, endsWith, every, filter, find, includes, indexOf, join, map, replace, slice, some, split, startsWith, toLowerCase, toUpperCase, trim.',
    examples: ["reviews.filter(review => review.status === 'approved').length >= 2"],
  })

const MergeRule = z
  .discriminatedUnion('rule', [
    z.strictObject({ rule: z.literal('require_specific_reviewers'), users }),
    z.strictObject({ rule: z.literal('require_one_of_specific_reviewers'), users }),
    z.strictObject({ rule: z.literal('allow_bypass'), users }),
    z.strictObject({
      rule: z.enum([
        'require_at_least_one_review',
        'require_all_reviews_approved',
        'require_agent_review',
        'require_up_to_date_change_request',
        'require_change_request_subject',
        'require_change_request_description',
      ]),
    }),
    z.strictObject({ rule: z.literal('custom'), expression: Expression }),
  ])
  .meta({
    id: 'MergeRule',
    description: 'One condition of a merge.',
    sentences: { users: 'The ids of the users, 1 to 100.', rule: 'The name of the condition.' },
  })

const Inherit = z.strictObject({ type: z.literal('inherit') })
const None = z.strictObject({ type: z.literal('none') })
const Rules = z.strictObject({ type: z.literal('rules'), rules: z.array(MergeRule).max(50) })

/** The merge rules of an organization. */
export const StandaloneMergeRules = z.discriminatedUnion('type', [None, Rules]).meta({
  id: 'OrganizationMergeRules',
  description: 'The conditions for merging change requests, in the spaces that inherit them.',
  sentences: { rules: 'The rules, all of which have to be met.' },
})

/** The merge rules of a space: its own, or those of its organization. */
export const MergeRules = z.discriminatedUnion('type', [Inherit, None, Rules]).meta({
  id: 'MergeRules',
  description:
    'The conditions for merging change requests of a space. `inherit`: the rules of the organization; `none`: no conditions; `rules`: rules of the space.',
  sentences: { rules: 'The rules, all of which have to be met.' },
})

/** Returns the problem of an expression, without a full stop; undefined for a valid expression. */
function findFault(text: string): string | undefined {
  try {
    const { freeNames } = parseExpression(text)
    const stray = freeNames.find(({ name }) => !expressionNames.some(known => known === name))
    return (
      stray &&
      `"${stray.name}" at character ${stray.at + 1} is not a name that rules can use: ${expressionNames.join(', ')}`
    )
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return error.message.replace(/\.$/, '')
  }
}
