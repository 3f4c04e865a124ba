import { evaluate } from '../../content/expression/evaluate.ts'
import { parseExpression } from '../../content/expression/parse.ts'
import { Fault } from '../../errors.ts'

/** A merge rule as a space or an organization holds it. */
export type MergeRule = { rule: string; users?: readonly string[]; expression?: string; message?: string }

/** What merge rules look at, as plain data. */
export type MergeFacts = {
  changeRequest: {
    subject: string
    /** The text of its description, '' for none. */
    description: string
    createdBy: string
    /** The primary content has something that its branch has not. */
    outdated: boolean
  }
  /** Every review that was made. One that is outdated does not count. */
  reviews: readonly {
    reviewer: { id: string; isAgent: boolean }
    status: 'approved' | 'changes-requested'
    outdated: boolean
    /** The reviewer wrote some of the content: their approval does not count, their request for changes does. */
    wrote: boolean
  }[]
  /** Who wants to merge. */
  actor: { id: string }
  /** What expressions see: asked for only when a rule has one. */
  scope: () => Readonly<Record<ExpressionName, unknown>>
}

/** The names that the expression of a merge rule has to work with. */
export const expressionNames = ['space', 'changeRequest', 'reviews', 'actor'] as const
export type ExpressionName = (typeof expressionNames)[number]

/** A rule that is not met, and what to do about it. */
export type UnmetRule = { rule: string; message: string }

/** Undefined when the rule is met, else what is to be done. */
type Check = (facts: Facts, rule: MergeRule) => string | undefined

type Facts = MergeFacts & {
  approvedBy: ReadonlySet<string>
  counting: MergeFacts['reviews']
  /** Whether somebody who wrote some of the content asks for changes. */
  doubted: boolean
}

const unless = (met: boolean, message: string): string | undefined => (met ? undefined : message)

const checks: Readonly<Record<string, Check>> = {
  // Whom it names has no rules to meet; to all others it means nothing.
  allow_bypass: () => undefined,
  require_up_to_date_change_request: ({ changeRequest }) =>
    unless(!changeRequest.outdated, 'Update the change request with the primary content first.'),
  require_change_request_subject: ({ changeRequest }) =>
    unless(changeRequest.subject.trim() !== '', 'Give the change request a subject.'),
  require_change_request_description: ({ changeRequest }) =>
    unless(changeRequest.description.trim() !== '', 'Give the change request a description.'),
  require_author_to_merge: ({ changeRequest, actor }) =>
    unless(changeRequest.createdBy === actor.id, 'Let the one who made the change request merge it.'),
  require_at_least_one_review: ({ counting }) =>
    unless(counting.length > 0, 'Have somebody review the present revision.'),
  require_at_least_one_approved_review: ({ approvedBy }) =>
    unless(approvedBy.size > 0, 'Have somebody approve the present revision.'),
  require_all_reviews_approved: ({ counting, doubted }) =>
    unless(
      counting.length > 0 && counting.every(review => review.status === 'approved') && !doubted,
      'Have every reviewer approve the present revision.',
    ),
  require_specific_reviewers: ({ approvedBy }, { users = [] }) => {
    const lacking = users.filter(id => !approvedBy.has(id))
    return unless(
      lacking.length === 0,
      `Have these users approve the present revision: ${lacking.join(', ')}.`,
    )
  },
  require_one_of_specific_reviewers: ({ approvedBy }, { users = [] }) =>
    unless(
      users.some(id => approvedBy.has(id)),
      `Have one of these users approve the present revision: ${users.join(', ')}.`,
    ),
  require_agent_review: ({ counting }) =>
    unless(
      counting.some(review => review.reviewer.isAgent && review.status === 'approved'),
      'Have an agent approve the present revision.',
    ),
  custom: ({ scope }, { expression = '', message }) => {
    const problem = findProblem(expression, scope())
    return problem && (message ? `${message} ${problem}` : problem)
  },
}

/** Why an expression does not let anybody merge: it is not exactly true, or it fails. Undefined when it does. */
function findProblem(expression: string, scope: Readonly<Record<string, unknown>>): string | undefined {
  try {
    const met = evaluate(parseExpression(expression), scope) === true
    return unless(met, `Have \`${expression}\` come true.`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `The expression \`${expression}\` fails: ${error.message}`
  }
}

/** The rules to whose sentence belongs whose approvals do not count. */
const aboutReviews = /review|^custom$/

function noteOn(uncounted: MergeFacts['reviews']): string[] {
  if (uncounted.length === 0) return []
  const ids = uncounted.map(review => review.reviewer.id).join(', ')
  return [`Approvals by users who contributed to the change request do not count: ${ids}.`]
}

/** The rules that keep this actor from merging, each with what to do; none for those whom `allow_bypass` names. */
export function findUnmetRules(rules: readonly MergeRule[], facts: MergeFacts): UnmetRule[] {
  if (rules.some(({ rule, users }) => rule === 'allow_bypass' && users?.includes(facts.actor.id))) return []
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
    doubted: own.some(review => review.status === 'changes-requested'),
    approvedBy: new Set(approved.map(review => review.reviewer.id)),
  }
  return rules.flatMap(rule => {
    const check = Object.hasOwn(checks, rule.rule) ? checks[rule.rule] : undefined
    // A rule that a newer program wrote must not be taken for none.
    const message = check ? check(known, rule) : `The rule "${rule.rule}" is not known here.`
    if (message === undefined) return []
    const uncounted = aboutReviews.test(rule.rule) ? own.filter(review => review.status === 'approved') : []
    return [{ rule: rule.rule, message: [message, ...noteOn(uncounted)].join(' ') }]
  })
}
