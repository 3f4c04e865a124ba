import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects/objects.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { listAuditEvents } from '../../../src/store/events/audit-events.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace, paragraph } from '../change-requests/workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'review')
const one = space.user('Una', 'review')
const two = space.user('Duo', 'review')
const agent = space.user('Bot', 'review')
app.ctx.store.run(sqlRows(sql`update "user" set is_agent = 1 where id = ${agent.id}`))
test.after(() => app.stop())

const here = `/v1/spaces/${space.id}`
const setRules = async (...rules: object[]) => {
  const reply = await app.admin.patch(here, { mergeRules: { type: 'rules', rules } })
  assert.is(reply.status, 200, reply.text)
}

/** A change request by the editor that changes a file, with actions on it. */
async function open(subject = 'Clearer') {
  const { body } = await space.open(editor, subject, { [`${Math.random()}.md`]: '# New\n' })
  const path = `${space.path}/${body.id}`
  const say = async (by: Actor, status: string) =>
    assert.is((await by.post(`${path}/reviews`, { status })).status, 201)

  return {
    path,
    number: body.number as number,
    approve: (by: Actor) => say(by, 'approved'),
    object: (by: Actor) => say(by, 'changes-requested'),
    push: () => space.commit({ [`${Math.random()}.md`]: '# More\n' }, body.number),
    /** Tries to merge; returns the unmet rules, each with its message. */
    unmet: async (by: Actor = editor): Promise<string[]> => {
      const { status, body } = await by.post(`${path}/merge`)
      assert.is(status, 412)
      assert.is(body.error.code, 412)
      return body.details.rules.map((each: { rule: string; message: string }) => {
        assert.ok(body.error.message.includes(each.message))
        return each.rule
      })
    },
    merge: async (by: Actor = editor): Promise<string> => {
      const { status, body, text } = await by.post(`${path}/merge`)
      assert.is(status, 200, text)
      assert.is(body.result, 'merge')
      return body.revision
    },
  }
}

test('require_at_least_one_review counts reviews of this revision by other users', async () => {
  await setRules({ rule: 'require_at_least_one_review' })
  const request = await open()
  assert.equal(await request.unmet(), ['require_at_least_one_review'])
  await request.object(editor)
  assert.equal(await request.unmet(), ['require_at_least_one_review'])
  await request.object(one)
  await request.push()
  assert.equal(await request.unmet(), ['require_at_least_one_review'])
  await request.object(two)
  await request.merge()
})

test('require_all_reviews_approved counts the last review of each reviewer', async () => {
  await setRules({ rule: 'require_all_reviews_approved' })
  const request = await open()
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await request.approve(one)
  await request.object(two)
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await request.approve(two)
  await request.object(one)
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await request.approve(one)
  await request.merge()
})

test('reviews by users who can no longer review do not count', async () => {
  await setRules({ rule: 'require_all_reviews_approved' })
  const request = await open()
  const leaving = space.user('Lea', 'review')
  await request.approve(leaving)
  await app.admin.delete('/v1/orgs/acme/members/lea')
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  const { body } = await app.admin.get(`${request.path}/reviews`)

  assert.equal(
    body.items.map((review: { status: string; reviewer: { id: string } }) => [
      review.reviewer.id,
      review.status,
    ]),
    [['lea', 'approved']],
  )
  await request.approve(one)
  await request.merge()
})

test('an edit invalidates approvals', async () => {
  await setRules({ rule: 'require_all_reviews_approved' })
  const request = await open()
  await request.approve(one)
  await request.push()
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await space.commit({ [`${Math.random()}.md`]: '# Primary\n' })
  await request.approve(one)
  assert.is((await editor.post(`${request.path}/update`)).body.result, 'update')
  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await request.approve(two)
  await request.merge()
})

test('specific reviewers: all of them, or one of them', async () => {
  await setRules({ rule: 'require_specific_reviewers', users: [one.id, two.id] })
  const request = await open()
  await request.approve(one)
  const refused = await editor.post(`${request.path}/merge`)

  assert.is(refused.status, 412)
  assert.match(refused.body.error.message, two.id)
  await setRules({ rule: 'require_one_of_specific_reviewers', users: [two.id, agent.id] })
  assert.equal(await request.unmet(), ['require_one_of_specific_reviewers'])
  await setRules({ rule: 'require_specific_reviewers', users: [one.id, two.id] })
  await request.approve(two)
  await setRules(
    { rule: 'require_specific_reviewers', users: [one.id, two.id] },
    { rule: 'require_one_of_specific_reviewers', users: [two.id, agent.id] },
  )
  await request.merge()
})

test('a required reviewer cannot approve their own change request', async () => {
  await setRules({ rule: 'require_specific_reviewers', users: [editor.id] })
  const request = await open()
  await request.object(editor)
  assert.equal(await request.unmet(), ['require_specific_reviewers'])
})

test('require_agent_review is met by an agent', async () => {
  await setRules({ rule: 'require_agent_review' })
  const request = await open()
  await request.approve(one)
  assert.equal(await request.unmet(), ['require_agent_review'])
  await request.approve(agent)
  await request.merge()
})

test('up to date, subject and description are required', async () => {
  await setRules(
    { rule: 'require_up_to_date_change_request' },
    { rule: 'require_change_request_subject' },
    { rule: 'require_change_request_description' },
  )
  const request = await open('')
  await space.commit({ [`${Math.random()}.md`]: '# Primary\n' })
  assert.equal(await request.unmet(), [
    'require_up_to_date_change_request',
    'require_change_request_subject',
    'require_change_request_description',
  ])

  // A request for reviews sets both.
  const asked = { users: [one.id], subject: 'Why', description: paragraph('Because.') }

  assert.is((await editor.post(`${request.path}/requested-reviewers`, asked)).status, 200)
  assert.equal(await request.unmet(), ['require_up_to_date_change_request'])
  await editor.post(`${request.path}/update`)
  await request.merge()
})

test('a custom expression is required unless a bypass lists the user', async () => {
  await setRules(
    {
      rule: 'custom',
      expression: "reviews.filter(review => review.status === 'approved').length >= 2",
    },
    { rule: 'require_at_least_one_review' },
    { rule: 'allow_bypass', users: [two.id] },
  )
  const request = await open()
  await request.approve(one)
  assert.equal(await request.unmet(), ['custom'])
  await request.merge(two)
  const other = await open()

  await other.approve(one)
  await other.approve(agent)
  await other.merge()
})

test('an expression sees the reviews that count: the last of each reviewer, of this revision, not of the author', async () => {
  await setRules({ rule: 'custom', expression: "reviews.some(each => each.status === 'approved')" })
  const request = await open()
  await request.object(editor)
  await request.approve(one)
  await request.object(one)
  assert.equal(await request.unmet(), ['custom'])
  await request.approve(two)
  await request.push()
  assert.equal(await request.unmet(), ['custom'])
  const leaving = space.user('Max', 'review')

  await request.approve(leaving)
  await app.admin.delete('/v1/orgs/acme/members/max')
  assert.equal(await request.unmet(), ['custom'])
  await request.approve(one)
  await request.merge()
})

test('an expression that fails or is not exactly true is not met', async () => {
  const cases: [expression: string, why: string | RegExp][] = [
    ['reviews.length', 'The expression `reviews.length` must be true.'],
    ['!space.gone.includes("x")', '"includes" cannot be called on nothing, at character 2.'],
    [
      'reviews.concat === undefined && [1,2,3,4,5,6,7,8,9].every(a => [1,2,3,4,5,6,7,8,9].every(b => [1,2,3,4,5,6,7,8,9].every(c => [1,2,3,4,5,6,7,8,9].every(d => true))))',
      'more than 10000 steps',
    ],
  ]
  const request = await open()
  for (const [expression, why] of cases) {
    await setRules({ rule: 'custom', expression })
    const { status, body } = await editor.post(`${request.path}/merge`)
    assert.is(status, 412)
    assert.match(body.error.message, why)
    assert.is(body.details.rules.length, 1)
    assert.match(body.details.rules[0].message, why)
  }
})

test('a rule of a newer version reports its message, and an invalid expression is never met', async () => {
  const rules = [
    { rule: 'custom', expression: 'false', message: 'Ask the lawyers.' },
    { rule: 'custom', expression: 'reviews = 1' },
  ]
  const written = JSON.stringify({ type: 'rules', rules })
  const request = await open()
  app.ctx.store.run(sqlRows(sql`update space set merge_rules = ${written} where id = ${space.id}`))
  const { status, body } = await editor.post(`${request.path}/merge`)

  await setRules()
  assert.is(status, 412)
  assert.equal(
    body.details.rules.map((each: { message: string }) => each.message),
    [
      'Ask the lawyers. The expression `false` must be true.',
      'The expression `reviews = 1` fails: An expression cannot contain an assignment, at character 1.',
    ],
  )
})

test('an expression sees the space, the change request and the merging user as the API shows them', async () => {
  const request = await open('Clear words')
  const shown = (await editor.get(request.path)).body
  const described = { users: [one.id], subject: 'Clear words', description: paragraph('Because.') }
  assert.is((await editor.post(`${request.path}/requested-reviewers`, described)).status, 200)
  await request.approve(one)
  const [review] = (await editor.get(`${request.path}/reviews`)).body.items
  const { title, revision } = (await editor.get(here)).body
  const so = [
    `space.object === 'space' && space.id === '${space.id}' && space.title === '${title}'`,
    `space.organization === 'acme' && space.editMode === 'live' && space.revision === '${revision}'`,
    `changeRequest.id === '${shown.id}' && changeRequest.number === ${shown.number}`,
    `changeRequest.createdAt === '${shown.createdAt}' && changeRequest.createdBy.id === actor.id`,
    `changeRequest.revision === '${shown.revision}' && changeRequest.subject === 'Clear words'`,
    "changeRequest.description.nodes[0].nodes[0].leaves[0].text === 'Because.'",
    `actor.object === 'user' && actor.id === '${editor.id}' && actor.email.endsWith('@example.org')`,
    `reviews.length === 1 && reviews[0].id === '${review.id}' && reviews[0].status === 'approved'`,
    `reviews[0].reviewer.displayName === 'Una' && reviews[0].revision === changeRequest.revision`,
    `reviews[0].outdated === false && reviews[0].createdAt === '${review.createdAt}'`,
    'changeRequest.urls === undefined && space.constructor === undefined',
    'changeRequest.outdated === true',
  ]
  const rules = so.map(expression => ({ rule: 'custom', expression }))

  await setRules(...rules)
  const { body } = await editor.post(`${request.path}/merge`)

  assert.equal(
    body.details.rules.map((each: { message: string }) => each.message),
    ['The expression `changeRequest.outdated === true` must be true.'],
  )
  await space.commit({ [`${Math.random()}.md`]: '# Primary\n' })
  await setRules({ rule: 'custom', expression: 'changeRequest.outdated === false' })
  assert.equal(await request.unmet(), ['custom'])
  await setRules({ rule: 'custom', expression: 'changeRequest.outdated' })
  await request.merge()
})

test('an invalid expression is refused with its position', async () => {
  const refused: [expression: string, said: RegExp][] = [
    [
      'reviews.length >',
      /"mergeRules.rules.1.expression" in the body: Unexpected token, at character 17\.$/,
    ],
    ['reviews = []', /cannot contain an assignment, at character 1\.$/],
    [
      'constructor.constructor("return process")()',
      /a call of anything other than a named method, at character 1\.$/,
    ],
    [
      'review.length > 1',
      /"review" at character 1 is not a name that rules can use: space, changeRequest, reviews, actor/,
    ],
    ['('.repeat(1024), /at most 64 levels deep/],
    [' ', /expression is empty/],
  ]
  for (const path of [here, '/v1/orgs/acme']) {
    for (const [expression, said] of refused) {
      const rules = [{ rule: 'require_at_least_one_review' }, { rule: 'custom', expression }]
      const { status, body } = await app.admin.patch(path, { mergeRules: { type: 'rules', rules } })
      assert.is(status, 400)
      assert.match(body.error.message, said)
    }
  }
})

test('a space inherits the rules of its organization', async () => {
  const rules = [{ rule: 'require_all_reviews_approved' }]
  await app.admin.patch('/v1/orgs/acme', { mergeRules: { type: 'rules', rules } })
  await app.admin.patch(here, { mergeRules: { type: 'inherit' } })
  const request = await open()

  assert.equal(await request.unmet(), ['require_all_reviews_approved'])
  await app.admin.patch(here, { mergeRules: { type: 'none' } })
  await request.merge()
  await app.admin.patch(here, { mergeRules: { type: 'inherit' } })
  const other = await open()

  await other.approve(one)
  await other.merge()
  await app.admin.patch('/v1/orgs/acme', { mergeRules: { type: 'none' } })
})

test('the merge commit names the approvers, and is recorded', async () => {
  await app.admin.patch(here, { mergeRules: { type: 'none' } })
  const request = await open('Reviewed by two')
  await request.approve(two)
  await request.push()
  await request.object(agent)
  await request.approve(one)
  await request.approve(agent)
  const reply = await editor.request('POST', `${request.path}/merge`)
  const commit = (await readCommit(space.repo, reply.body.revision))!

  assert.is(
    commit.message,
    `Reviewed by two\n\nReviewed-by: Una <una@example.org>\nReviewed-by: Bot <bot@example.org>\nStemma-Space: ${space.id}\nStemma-Change-Request: ${request.number}\nStemma-Operation: merge\n`,
  )
  const [event] = atOnce(
    listAuditEvents(app.ctx.store, 'acme', { action: 'change_request.merged' }, 1),
  )

  assert.is(event!.user_id, editor.id)
  assert.is(event!.space_id, space.id)
  assert.is(event!.request_id, reply.headers.get('x-request-id'))
  assert.equal(event!.details, {
    number: request.number,
    revision: reply.body.revision,
    from: commit.parents[0],
    merged: commit.parents[1],
  })
})

test('a review during a merge is either counted or too late', async () => {
  await setRules({ rule: 'require_all_reviews_approved' })
  for (let i = 0; i < 5; i++) {
    const request = await open()
    await request.approve(one)
    const [merged, objected] = await Promise.all([
      editor.post(`${request.path}/merge`),
      one.post(`${request.path}/reviews`, { status: 'changes-requested' }),
    ])
    const reviews = await editor.get(`${request.path}/reviews`)

    assert.is(reviews.body.count, objected.status === 201 ? 2 : 1)
    assert.ok([200, 409, 412].includes(merged.status), merged.text)
    assert.ok([201, 409].includes(objected.status), objected.text)
    if (objected.status === 409) assert.is(merged.status, 200)
  }
})

test('with merge rules, editors need a change request for the primary content', async () => {
  const plain = space.user('Pia', 'edit')
  const edit = { changes: [{ type: 'insert_page', title: 'Direct', markdown: 'x' }] }
  await setRules({ rule: 'require_at_least_one_review' })
  const refused = await plain.post(`${here}/content`, edit)
  assert.ok(refused.status === 403, refused.text)
  assert.match(refused.body.error.message, 'merge rules')
})

test.run()
