import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects.ts'
import { listAuditEvents } from '../../../src/store/audit-events.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace, paragraph } from '../change-requests/bench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'review')
const one = space.user('Una', 'review')
const two = space.user('Duo', 'review')
const agent = space.user('Bot', 'review')
app.ctx.store.run(sqlRows(sql`update user set is_agent = 1 where id = ${agent.id}`))
test.after(() => app.stop())

const here = `/v1/spaces/${space.id}`
const setRules = async (...rules: object[]) => {
  const reply = await app.admin.patch(here, { mergeRules: { type: 'rules', rules } })
  assert.is(reply.status, 200, reply.text)
}

/** A change request of the editor's that changes a file, and what is done with it. */
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
    /** Tries to merge: the rules that are not met, each with what to do. */
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

test('at least one review: of this revision, by somebody else', async () => {
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

test('all reviews approved: what each said last', async () => {
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

test('who may not review any more has no say, also when they have approved', async () => {
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

test('an edit takes the approvals away', async () => {
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

test('these reviewers, or one of these', async () => {
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

test('a reviewer whom a rule names cannot approve what they made', async () => {
  await setRules({ rule: 'require_specific_reviewers', users: [editor.id] })
  const request = await open()
  await request.object(editor)
  assert.equal(await request.unmet(), ['require_specific_reviewers'])
})

test('an agent', async () => {
  await setRules({ rule: 'require_agent_review' })
  const request = await open()
  await request.approve(one)
  assert.equal(await request.unmet(), ['require_agent_review'])
  await request.approve(agent)
  await request.merge()
})

test('up to date, subject and description', async () => {
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
  // Asking for a review says both.
  const asked = { users: [one.id], subject: 'Why', description: paragraph('Because.') }
  assert.is((await editor.post(`${request.path}/requested-reviewers`, asked)).status, 200)
  assert.equal(await request.unmet(), ['require_up_to_date_change_request'])
  await editor.post(`${request.path}/update`)
  await request.merge()
})

test('a rule of its own words is not met yet; whom a bypass names need none', async () => {
  await setRules(
    { rule: 'custom', expression: 'true' },
    { rule: 'require_at_least_one_review' },
    { rule: 'allow_bypass', users: [two.id] },
  )
  const request = await open()
  await request.approve(one)
  assert.equal(await request.unmet(), ['custom'])
  await request.merge(two)
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

test('the merge names who approved it, and is written down', async () => {
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
  const [event] = listAuditEvents(app.ctx.store, 'acme', { action: 'change_request.merged' }, 1)
  assert.is(event!.user_id, editor.id)
  assert.is(event!.space_id, space.id)
  assert.is(event!.request_id, reply.headers.get('x-request-id'))
  assert.equal(JSON.parse(event!.details), {
    number: request.number,
    revision: reply.body.revision,
    from: commit.parents[0],
    merged: commit.parents[1],
  })
})

test('a review that comes while it is merged is seen, or comes too late', async () => {
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

test('with merge rules, editors change the primary content with a change request alone', async () => {
  const plain = space.user('Pia', 'edit')
  const edit = { changes: [{ type: 'insert_page', title: 'Direct', markdown: 'x' }] }
  await setRules({ rule: 'require_at_least_one_review' })
  const refused = await plain.post(`${here}/content`, edit)
  assert.ok(refused.status === 403, refused.text)
  assert.match(refused.body.error.message, 'merge rules')
})

test.run()
