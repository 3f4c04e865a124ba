import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const editor = app.user('Ed', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
const path = `/v1/spaces/${space.id}`

putPermission(app.ctx.store, {
  target_kind: 'space',
  target_id: space.id,
  subject_kind: 'user',
  subject_id: 'ed',
  role: 'edit',
  created_at: space.createdAt,
})

test.after(() => app.stop())

test('users with a role can read a space', async () => {
  for (const who of [app.admin, creator, editor]) assert.is((await who.get(path)).status, 200)
  assert.is((await guest.get(path)).status, 404)
  assert.is((await stranger.get(path)).status, 404)
  assert.is((await app.anonymous.get(path)).status, 401)
  assert.is((await app.admin.get('/v1/spaces/unknown')).status, 404)
  assert.is((await app.admin.get(`${path}?shareKey=abc`)).status, 200)
  assert.is((await app.admin.get(`${path}?fields=id`)).headers.get('stemma-ignored'), 'fields')
})

test('only its admins can update its settings', async () => {
  const rules = [
    { rule: 'require_specific_reviewers', users: ['cleo'] },
    { rule: 'require_one_of_specific_reviewers', users: ['cleo', 'ada'] },
    { rule: 'allow_bypass', users: ['ada'] },
    { rule: 'require_at_least_one_review' },
    { rule: 'require_all_reviews_approved' },
    { rule: 'require_agent_review' },
    { rule: 'require_up_to_date_change_request' },
    { rule: 'require_change_request_subject' },
    { rule: 'require_change_request_description' },
    { rule: 'custom', expression: 'reviews.length > 1' },
  ]

  const body = {
    title: 'Handbook',
    emoji: '📚',
    editMode: 'locked',
    defaultLevel: 'comment',
    language: 'de',
    mergeRules: { type: 'rules', rules },
  }

  assert.is((await creator.patch(path, body)).status, 403)
  assert.is((await editor.patch(path, body)).status, 403)
  assert.is((await guest.patch(path, body)).status, 404)
  assert.is((await app.anonymous.patch(path, body)).status, 401)
  const { status, body: changed } = await app.admin.patch(path, body)

  assert.is(status, 200)
  assert.equal({ ...changed, ...body }, changed)
  assert.ok(changed.updatedAt > space.updatedAt)
  assert.equal((await app.admin.get(path)).body, changed)
  const back = await app.admin.patch(path, {
    editMode: 'live',
    language: null,
    mergeRules: { type: 'none' },
  })

  assert.equal(
    [back.body.editMode, back.body.language, back.body.mergeRules],
    ['live', undefined, { type: 'none' }],
  )
  assert.is(back.body.title, 'Handbook')
})

test('a space has an emoji or an icon', async () => {
  const shown = async (body: unknown) => {
    const reply = await app.admin.patch(path, body)
    return [reply.status, reply.body.emoji, reply.body.urls?.icon]
  }
  const icon = 'https://example.org/i.png'
  assert.equal(await shown({ emoji: '🎉' }), [200, '🎉', undefined])
  assert.equal(await shown({ icon }), [200, '📄', icon])
  assert.equal(await shown({ emoji: '🎉', icon }), [400, undefined, undefined])
  assert.equal(await shown({ emoji: '🎉', icon: null }), [200, '🎉', undefined])
  assert.equal(await shown({ emoji: null, icon }), [200, '📄', icon])
  assert.equal(await shown({ emoji: null, icon: null }), [200, '📄', undefined])
})

test('the flags reflect the rights of the caller', async () => {
  const flags = async (who: typeof editor) => {
    const { permissions } = (await who.get(path)).body
    return Object.keys(permissions)
      .filter(name => permissions[name])
      .sort()
      .join(' ')
  }
  const writer = 'access comment edit merge triggerGitSync view'
  assert.is(await flags(editor), writer)
  assert.is(await flags(creator), 'access comment edit merge review triggerGitSync view')
  assert.is(
    await flags(app.admin),
    'access admin comment edit installIntegration merge review triggerGitSync view viewInviteLinks',
  )
  await app.admin.patch(path, {
    mergeRules: { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] },
  })
  assert.is(await flags(editor), 'access comment edit merge view')
  const rules = [{ rule: 'require_at_least_one_review' }, { rule: 'allow_bypass', users: ['ed'] }]

  await app.admin.patch(path, { mergeRules: { type: 'rules', rules } })
  assert.is(await flags(editor), writer)
  await app.admin.patch(path, { editMode: 'locked' })
  assert.is(await flags(editor), 'access comment edit view')
})

test('invalid bodies are refused with a reason', async () => {
  const refused: [body: unknown, message: RegExp][] = [
    [{ title: ' ' }, /"title" in the body: takes 1 to 50/],
    [{ emoji: 'smile' }, /takes one emoji/],
    [{ icon: 'data:image/png;base64,AA' }, /"icon"/],
    [{ defaultLevel: 'owner' }, /"defaultLevel"/],
    [{ language: 'klingon' }, /"language"/],
    [{ mergeRules: { type: 'some' } }, /"mergeRules/],
    [{ mergeRules: { type: 'rules', rules: [{ rule: 'custom' }] } }, /expression/],
    [
      { mergeRules: { type: 'rules', rules: [{ rule: 'custom', expression: 'x'.repeat(1025) }] } },
      /expression/,
    ],
    [{ mergeRules: { type: 'rules', rules: [{ rule: 'allow_bypass', users: [] }] } }, /users/],
    [
      { mergeRules: { type: 'rules', rules: [{ rule: 'allow_bypass', users: ['sid'] }] } },
      /"sid" is not a member/,
    ],
    [{ mergeRules: { type: 'rules', rules: [{ rule: 'unheard_of' }] } }, /"mergeRules/],
    [{ visibility: 'public' }, /visibility/],
    [[], /body/],
  ]
  for (const [body, message] of refused) {
    const reply = await app.admin.patch(path, body)
    assert.is(reply.status, 400, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }
})

test.run()
