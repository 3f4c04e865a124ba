import { evaluate } from '../../content/expression/evaluate.ts'
import { parseExpression } from '../../content/expression/parse.ts'
import { Fault } from '../../errors.ts'

/** A merge rule of a space or an organization. */
export type MergeRule = {
  rule: string
  users?: readonly string[]
  expression?: string
  message?: string
}

/** The facts that merge rules check, as plain data. */
export type MergeFacts = {
  changeRequest: {
    subject: string
    /** The text of its description, '' without one. */
    description: string
    createdBy: string
    /** The branch lacks something of the primary content. */
    outdated: boolean
  }
  /** All reviews. Outdated ones do not count. */
  reviews: readonly {
    reviewer: { id: string; isAgent: boolean }
    status: 'approved' | 'changes-requested'
    outdated: boolean
    /**
     * The reviewer contributed to the content: their approval does not count, their request for
     * changes does.
     */
    wrote: boolean
  }[]
  /** The merging user. */
  actor: { id: string }
  /** Returns the variables of expressions. Only called if a rule has an expression. */
  scope: () => Readonly<Record<ExpressionName, unknown>>
}

/** The variables of a merge rule's expression. */
export const expressionNames = ['space', 'changeRequest', 'reviews', 'actor'] as const
export type ExpressionName = (typeof expressionNames)[number]

/** An unmet rule and how to meet it. */
export type UnmetRule = { rule: string; message: string }

/** Returns how to meet the rule; undefined if it is met. */
type Check = (facts: Facts, rule: MergeRule) => string | undefined

type Facts = MergeFacts & {
  approvedBy: ReadonlySet<string>
  counting: MergeFacts['reviews']
  /** Returns whether a contributor requested changes. */
  contested: boolean
}

const unless = (met: boolean, message: string): string | undefined => (met ? undefined : message)

const checks: Readonly<Record<string, Check>> = {
  // Says who may ignore the others.
  allow_bypass: () => undefined,
  require_up_to_date_change_request: ({ changeRequest }) =>
    unless(!changeRequest.outdated, 'Update the change request with the primary content first.'),
  require_change_request_subject: ({ changeRequest }) =>
    unless(changeRequest.subject.trim() !== '', 'Give the change request a subject.'),
  require_change_request_description: ({ changeRequest }) =>
    unless(changeRequest.description.trim() !== '', 'Give the change request a description.'),
  require_author_to_merge: ({ changeRequest, actor }) =>
    unless(
      changeRequest.createdBy === actor.id,
      'Only the author of the change request can merge it.',
    ),
  require_at_least_one_review: ({ counting }) =>
    unless(counting.length > 0, 'The current revision needs a review.'),
  require_at_least_one_approved_review: ({ approvedBy }) =>
    unless(approvedBy.size > 0, 'The current revision needs an approval.'),
  require_all_reviews_approved: ({ reviews, counting, contested }) =>
    unless(
      counting.length > 0 && counting.every(review => review.status === 'approved') && !contested,
      reviews.every(review => review.outdated)
        ? 'The current revision has no review yet: it needs an approval.'
        : 'Every reviewer must approve the current revision.',
    ),
  require_specific_reviewers: ({ approvedBy }, { users = [] }) => {
    const lacking = users.filter(id => !approvedBy.has(id))
    return unless(
      lacking.length === 0,
      `These users must approve the current revision: ${lacking.join(', ')}.`,
    )
  },
  require_one_of_specific_reviewers: ({ approvedBy }, { users = [] }) =>
    unless(
      users.some(id => approvedBy.has(id)),
      `One of these users must approve the current revision: ${users.join(', ')}.`,
    ),
  require_agent_review: ({ counting }) =>
    unless(
      counting.some(review => review.reviewer.isAgent && review.status === 'approved'),
      'An agent must approve the current revision.',
    ),
  custom: ({ scope }, { expression = '', message }) => {
    const problem = findProblem(expression, scope())
    return problem && (message ? `${message} ${problem}` : problem)
  },
}

/**
 * Returns why an expression blocks the merge: it is not exactly `true`, or it fails. Undefined if
 * it does not.
 */
function findProblem(
  expression: string,
  scope: Readonly<Record<string, unknown>>,
): string | undefined {
  try {
    const met = evaluate(parseExpression(expression), scope) === true
    return unless(met, `The expression \`${expression}\` must be true.`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `The expression \`${expression}\` fails: ${error.message}`
  }
}

/** The rules whose message names approvals that do not count. */
const aboutReviews = /review|^custom$/

function uncountedNote(uncounted: MergeFacts['reviews']): string[] {
  if (uncounted.length === 0) return []
  const ids = uncounted.map(review => review.reviewer.id).join(', ')
  return [`Approvals by users who contributed to the change request do not count: ${ids}.`]
}

/** Returns the rules that are not met, each with how to meet it. */
export function findUnmetRules(rules: readonly MergeRule[], facts: MergeFacts): UnmetRule[] {
  const present = facts.reviews.filter(review => !review.outdated)
  const counting = present.filter(review => !review.wrote)
  const own = present.filter(review => review.wrote)
  const approved = counting.filter(review => review.status === 'approved')
  let seen: ReturnType<MergeFacts['scope']> | undefined
  const known: Facts = {
    ...facts,
    scope: () => {
      seen ??= facts.scope()
      return seen
    },
    counting,
    contested: own.some(review => review.status === 'changes-requested'),
    approvedBy: new Set(approved.map(review => review.reviewer.id)),
  }

  return rules.flatMap(rule => {
    const check = Object.hasOwn(checks, rule.rule) ? checks[rule.rule] : undefined
    // A rule written by a newer version must not be ignored.
    const message = check
      ? check(known, rule)
      : `The rule "${rule.rule}" is not known to this server.`
    if (message === undefined) return []

    const uncounted = aboutReviews.test(rule.rule)
      ? own.filter(review => review.status === 'approved')
      : []

    return [{ rule: rule.rule, message: [message, ...uncountedNote(uncounted)].join(' ') }]
  })
}
