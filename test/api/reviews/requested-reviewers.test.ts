import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../src/lib/slices.ts'
import { listAuditEvents } from '../../../src/store/events/audit-events.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace, paragraph } from '../change-requests/workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
const other = space.user('Olga', 'edit')
const reader = space.user('Rea', 'read')
const stranger = app.user('Sam', null)
test.after(() => app.stop())

const actions = (): string[] =>
  atOnce(listAuditEvents(app.ctx.store, 'acme', {}, 1000)).map(row => row.action)

/** A new change request with the path of its reviewers. */
async function open(
  by: Actor = editor,
  subject = 'Clearer',
): Promise<{ one: string; path: string }> {
  const { body } = await by.post(space.path, { subject })
  const one = `${space.path}/${body.id}`
  return { one, path: `${one}/requested-reviewers` }
}

const names = (reply: { body: { items: { user: { id: string } }[] } }) =>
  reply.body.items.map(item => item.user.id)

test('requested reviewers are listed in order, with the requester and the revision', async () => {
  const { one, path } = await open()
  const head = (await editor.get(one)).body.revision
  const asked = await editor.post(path, { users: [other.id, reader.id, other.id] })
  assert.is(asked.status, 200)
  assert.equal(
    asked.body.users.map((each: { user: { id: string } }) => each.user.id),
    [other.id, reader.id],
  )
  const [first] = asked.body.users

  assert.is(first.object, 'change-request-requested-reviewer')
  assert.is(first.kind, 'user')
  assert.is(first.revision, head)
  assert.is(first.requestedBy.id, editor.id)
  const listed = await reader.get(path)

  assert.equal(listed.body.items, asked.body.users)
  const page = await reader.get(`${path}?limit=1`)

  assert.equal(names(page), [other.id])
  assert.equal(names(await reader.get(`${path}?limit=1&page=${page.body.next.page}`)), [reader.id])
  assert.is(actions()[0], 'reviewer.requested')
})

test('requesting again keeps the first request', async () => {
  const { one, path } = await open()
  const before = await editor.post(path, { users: [reader.id] })
  await space.commit({ 'more.md': '# More\n' }, (await editor.get(one)).body.number)
  const requests = () => actions().filter(action => action === 'reviewer.requested').length
  const events = requests()
  const again = await other.post(path, { users: [reader.id] })
  assert.equal(again.body, before.body)
  assert.is(requests(), events, 'nothing has happened')
})

test('a request opens a draft and can change subject and description', async () => {
  const { one, path } = await open(editor, '')
  assert.is((await editor.get(one)).body.status, 'draft')
  const description = paragraph('Because.')
  assert.is(
    (await editor.post(path, { users: [other.id], subject: 'Why', description })).status,
    200,
  )
  const after = (await editor.get(one)).body

  assert.is(after.status, 'open')
  assert.is(after.subject, 'Why')
  assert.equal(after.description, description)
  assert.equal(actions().slice(0, 3), [
    'change_request.opened',
    'change_request.updated',
    'reviewer.requested',
  ])
})

test('an invalid reviewer is named, and nothing is done', async () => {
  const { one, path } = await open(editor, '')
  const events = actions().length
  const refused = await editor.post(path, {
    users: [other.id, stranger.id, 'nobody'],
    subject: 'Lost',
  })

  assert.is(refused.status, 400)
  assert.match(refused.body.error.message, '"users" in the body')
  assert.equal(refused.body.details.users, [stranger.id, 'nobody'])
  const own = await other.post(path, { users: [editor.id] })

  assert.is(own.status, 400)
  assert.match(own.body.error.message, editor.id)

  for (const body of [
    {},
    { users: [] },
    { users: Array(101).fill(other.id) },
    { users: [1] },
    { users: 'x' },
  ])
    assert.is((await editor.post(path, body)).status, 400, JSON.stringify(body))

  assert.is((await editor.post(path, { users: [other.id], subject: 'x'.repeat(101) })).status, 400)
  assert.is((await editor.post(path, { users: [other.id], team: 'x' })).status, 400)
  const after = (await editor.get(one)).body

  assert.is(after.status, 'draft')
  assert.is(after.subject, '')
  assert.equal(names(await editor.get(path)), [])
  assert.is(actions().length, events)
})

test('a merged or archived change request accepts no requests', async () => {
  const { one, path } = await open()
  await editor.patch(one, { status: 'archived' })
  const archived = await editor.post(path, { users: [other.id] })
  assert.is(archived.status, 409)
  assert.match(archived.body.error.message, 'Reopen it')
  await editor.patch(one, { status: 'open' })
  assert.is((await editor.post(`${one}/merge`)).body.result, 'merge')
  assert.is((await editor.post(path, { users: [other.id] })).status, 409)
  assert.is((await editor.get(path)).status, 200)
})

test('a request can be removed, repeatedly', async () => {
  const { path } = await open()
  await editor.post(path, { users: [other.id, reader.id] })
  assert.is((await reader.delete(`${path}/${reader.id}`)).status, 403)
  for (let i = 0; i < 2; i++) assert.is((await other.delete(`${path}/${other.id}`)).status, 204)
  assert.is((await editor.delete(`${path}/nobody`)).status, 204)
  assert.equal(names(await editor.get(path)), [reader.id])
  assert.is(actions().filter(action => action === 'reviewer.removed').length, 1)
})

test('the same request sent twice is answered once', async () => {
  const { path } = await open()
  const headers = { 'idempotency-key': 'ask-once' }
  const first = await editor.post(path, { users: [other.id] }, headers)
  await editor.delete(`${path}/${other.id}`)
  const again = await editor.post(path, { users: [other.id] }, headers)
  assert.is(again.text, first.text)
  assert.is(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(names(await editor.get(path)), [])
})

test('callers without a role are refused', async () => {
  const { path } = await open()
  const body = { users: [other.id] }
  for (const [actor, get, post] of [
    [reader, 200, 403],
    [stranger, 404, 404],
    [app.anonymous, 401, 401],
  ] as const) {
    assert.is((await actor.get(path)).status, get)
    assert.is((await actor.post(path, body)).status, post)
    assert.is((await actor.delete(`${path}/${other.id}`)).status, post)
  }

  assert.is((await editor.get(`${space.path}/99/requested-reviewers`)).status, 404)
})

test('lists of change requests can be filtered by requested reviewer', async () => {
  const { one, path } = await open()
  const { id } = (await editor.get(one)).body
  const asked = space.user('Una', 'review')
  await editor.post(path, { users: [asked.id] })
  const ids = async (of: string) =>
    (await asked.get(`${of}?requestedReviewer=${asked.id}`)).body.items.map(
      (each: { id: string }) => each.id,
    )

  assert.equal(await ids(space.path), [id])
  assert.equal(await ids('/v1/orgs/acme/change-requests'), [id])
  await editor.patch(one, { status: 'archived' })
  assert.equal(await ids(space.path), [])
})

test('transferring a space removes requests to users outside the new organization', async () => {
  const at = app.ctx.now().toISOString()
  insertOrganization(app.ctx.store, { id: 'elsewhere', title: 'Elsewhere', created_at: at })
  putMember(app.ctx.store, 'elsewhere', app.admin.id, 'admin', at)
  putMember(app.ctx.store, 'elsewhere', other.id, 'read', at)

  for (const how of ['space', 'collection']) {
    const collection = (await app.admin.post('/v1/orgs/acme/collections', {})).body.id
    const made = (await app.admin.post('/v1/orgs/acme/spaces', { parent: collection })).body.id
    await app.admin.patch(`/v1/spaces/${made}`, { defaultLevel: 'read' })
    const request = (await app.admin.post(`/v1/spaces/${made}/change-requests`, { subject: 'New' }))
      .body.id
    const path = `/v1/spaces/${made}/change-requests/${request}/requested-reviewers`

    assert.is((await app.admin.post(path, { users: [other.id, reader.id] })).status, 200)
    const moved = how === 'space' ? `/v1/spaces/${made}` : `/v1/collections/${collection}`

    assert.is(
      (await app.admin.post(`${moved}/transfer`, { organization: 'elsewhere' })).status,
      200,
    )
    assert.equal(names(await app.admin.get(path)), [other.id])
  }
})

test.run()
