import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  findUnmetRules,
  type MergeFacts,
  type MergeRule,
} from '../../../src/actions/change-requests/merge-rules.ts'

type Review = MergeFacts['reviews'][number]

const review = (id: string, change: Partial<Review> = {}): Review => ({
  reviewer: { id, isAgent: false },
  status: 'approved',
  outdated: false,
  wrote: false,
  ...change,
})

const facts = (
  reviews: Review[] = [],
  request: Partial<MergeFacts['changeRequest']> = {},
): MergeFacts => ({
  changeRequest: { subject: 'S', description: 'D', createdBy: 'ed', outdated: false, ...request },
  reviews,
  actor: { id: 'ed' },
  scope: () => ({ space: {}, changeRequest: request, reviews, actor: { id: 'ed' } }),
})

const refused = { status: 'changes-requested' } as const
const stale = { outdated: true }
const own = { wrote: true }
const agent = { reviewer: { id: 'bot', isAgent: true } }

const cases: [name: string, rule: MergeRule, met: MergeFacts[], unmet: MergeFacts[]][] = [
  [
    'up to date',
    { rule: 'require_up_to_date_change_request' },
    [facts()],
    [facts([], { outdated: true })],
  ],
  ['subject', { rule: 'require_change_request_subject' }, [facts()], [facts([], { subject: ' ' })]],
  [
    'description',
    { rule: 'require_change_request_description' },
    [facts()],
    [facts([], { description: '\n' })],
  ],
  ['author', { rule: 'require_author_to_merge' }, [facts()], [facts([], { createdBy: 'olga' })]],
  [
    'one review',
    { rule: 'require_at_least_one_review' },
    [facts([review('a')]), facts([review('a', refused)])],
    [facts(), facts([review('a', stale)]), facts([review('a', own)])],
  ],
  [
    'one approval',
    { rule: 'require_at_least_one_approved_review' },
    [facts([review('a'), review('b', refused)]), facts([review('a'), review('b', own)])],
    [
      facts(),
      facts([review('a', refused)]),
      facts([review('a', stale)]),
      facts([review('a', own)]),
    ],
  ],
  [
    'all approvals',
    { rule: 'require_all_reviews_approved' },
    [
      facts([review('a'), review('b')]),
      facts([review('a'), review('b', { ...refused, ...stale })]),
    ],
    [
      facts(),
      facts([review('a'), review('b', refused)]),
      facts([review('a', own)]),
      facts([review('a'), review('b', { ...refused, ...own })]),
    ],
  ],
  [
    'these reviewers',
    { rule: 'require_specific_reviewers', users: ['a', 'b'] },
    [facts([review('a'), review('b'), review('c', refused)])],
    [
      facts(),
      facts([review('a')]),
      facts([review('a'), review('b', stale)]),
      facts([review('a'), review('b', own)]),
    ],
  ],
  [
    'one of these',
    { rule: 'require_one_of_specific_reviewers', users: ['a', 'b'] },
    [facts([review('b')])],
    [facts(), facts([review('c')]), facts([review('a', refused)])],
  ],
  [
    'an agent',
    { rule: 'require_agent_review' },
    [facts([review('bot', agent)])],
    [facts(), facts([review('a')]), facts([review('bot', { ...agent, ...refused })])],
  ],
  [
    'an expression',
    { rule: 'custom', expression: "reviews.some(review => review.reviewer.id === 'a')" },
    [facts([review('a'), review('b')])],
    [facts(), facts([review('b')])],
  ],
  [
    'no more than true is true',
    { rule: 'custom', expression: 'reviews.length' },
    [],
    [facts([review('a')])],
  ],
  ['no expression', { rule: 'custom' }, [], [facts()]],
  [
    'an expression that fails',
    { rule: 'custom', expression: '!space.gone.includes("x")' },
    [],
    [facts()],
  ],
  ['a rule of a newer program', { rule: 'require_full_moon' }, [], [facts([review('a')])]],
]

for (const [name, rule, met, unmet] of cases) {
  test(`${name}: met and unmet`, () => {
    for (const each of met) assert.equal(findUnmetRules([rule], each), [])
    for (const each of unmet) {
      const found = findUnmetRules([rule], each)
      assert.is(found.length, 1)
      assert.is(found[0]!.rule, rule.rule)
      assert.match(found[0]!.message, /\.$/)
    }
  })
}

test('an unmet expression reports why, after the message of its rule', () => {
  const say = (rule: Omit<MergeRule, 'rule'>) =>
    findUnmetRules([{ rule: 'custom', ...rule }], facts())[0]?.message
  assert.is(
    say({ expression: 'reviews.length > 1' }),
    'The expression `reviews.length > 1` must be true.',
  )

  assert.is(
    say({ expression: 'false', message: 'Ask the lawyers.' }),
    'Ask the lawyers. The expression `false` must be true.',
  )

  assert.is(
    say({ expression: 'actor.id.some(x => x)', message: 'Ask.' }),
    'Ask. The expression `actor.id.some(x => x)` fails: "some" cannot be called on a text, at character 1.',
  )
})

test('an unmet review rule names the approvals that do not count', () => {
  const reviews = [review('bob', own), review('eve', { ...own, ...refused })]
  const rules = [
    { rule: 'require_at_least_one_approved_review' },
    { rule: 'require_author_to_merge' },
  ]

  assert.equal(
    findUnmetRules(rules, facts(reviews, { createdBy: 'olga' })).map(({ message }) => message),
    [
      'The current revision needs an approval. Approvals by users who contributed to the change request do not count: bob.',
      'Only the author of the change request can merge it.',
    ],
  )
})

test('the variables of expressions are only loaded if a rule has an expression', () => {
  const scope = () => assert.unreachable() as never
  assert.is(
    findUnmetRules([{ rule: 'require_at_least_one_review' }], { ...facts(), scope }).length,
    1,
  )
})

test('allow_bypass is no rule to meet', () => {
  const rules = [
    { rule: 'custom', expression: 'false' },
    { rule: 'allow_bypass', users: ['ed'] },
  ]
  assert.is(findUnmetRules(rules, facts()).length, 1)
  assert.equal(findUnmetRules([{ rule: 'allow_bypass', users: [] }], facts()), [])
})

test('the message about approvals says whether anybody has reviewed the revision', () => {
  const messageFor = (given: Parameters<typeof facts>[0]) =>
    findUnmetRules([{ rule: 'require_all_reviews_approved' }], facts(given))[0]?.message
  const nobody = 'The current revision has no review yet: it needs an approval.'
  assert.is(messageFor([]), nobody)
  assert.is(messageFor([review('a', stale)]), nobody)
  assert.is(messageFor([review('a', refused)]), 'Every reviewer must approve the current revision.')
  assert.match(
    messageFor([review('a', own)]) ?? '',
    /^Every reviewer must approve .* do not count: a\.$/,
  )
})

test.run()
