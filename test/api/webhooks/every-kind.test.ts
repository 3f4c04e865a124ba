import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import type { Actor, Reply } from '../../support/app.ts'
import { openSyncBench } from '../../support/git/remote.ts'
import { openReceiver, type Received } from '../../support/http/receiver.ts'
import { petstore, processed } from '../openapi/host.ts'

const bench = await openSyncBench()
const { app } = bench
const { admin } = app
const reviewer = app.user('Rita', 'admin')
const receiver = await openReceiver()
test.after(async () => {
  await bench.stop()
  await receiver.stop()
})

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const org = '/v1/orgs/acme'
const at = '2026-01-01T00:00:00.000Z'
const secret = 'a secret of the receiver'
fine(await admin.post(`${org}/webhooks`, { url: receiver.url, events: ['*'], secret }))

/** The deliveries of this file that have come. */
let seen = 0

/** Returns the next deliveries, in order. */
async function next(count: number): Promise<Received['body'][]> {
  const before = seen
  seen += count
  return (await receiver.until(seen)).slice(before).map(({ body }) => body)
}

/** Returns the next deliveries by type, without their ids and times. */
async function said(count: number): Promise<Record<string, unknown>[]> {
  return (await next(count)).map(({ eventId, createdAt, organizationId, ...body }) => {
    assert.match(eventId, /^\w{10,}$/)
    assert.is(new Date(createdAt).toISOString(), createdAt)
    assert.is(organizationId, 'acme')
    return body
  })
}

const by = (actor: Pick<Actor, 'id'>) => ({ actor: { id: actor.id } })
const made = fine(await admin.post(`${org}/spaces`, { title: 'Private title' }))
const space: string = made.id
const requests = `/v1/spaces/${space}/change-requests`
const ofSpace = { spaceId: space, ...by(admin) }
const inApp = `${app.url}/app/s/${space}`

test('a new space, also a copy of one, sends space_created', async () => {
  const copy = fine(await admin.post(`/v1/spaces/${space}/duplicate`))

  assert.equal(await said(2), [
    {
      ...ofSpace,
      type: 'space_created',
      action: 'space.created',
      revisionId: made.revision,
      target: { type: 'space', id: space },
      urls: { app: inApp },
    },
    {
      type: 'space_created',
      action: 'space.duplicated',
      ...by(admin),
      from: space,
      revisionId: copy.revision,
      spaceId: copy.id,
      target: { type: 'space', id: copy.id },
      urls: { app: `${app.url}/app/s/${copy.id}` },
    },
  ])
})

test('requested reviews, replies and deleted comments are sent with ids, without texts', async () => {
  const { id, number } = fine(await admin.post(requests, { subject: 'Better' }))
  const base = `${requests}/${id}`
  const text = { body: { markdown: 'Between us.' } }
  fine(await admin.post(`${base}/requested-reviewers`, { users: [reviewer.id] }))
  const comment = fine(await admin.post(`${base}/comments`, text)).id
  const path = `${base}/comments/${comment}`
  const reply = fine(await reviewer.post(`${path}/replies`, text)).id
  fine(await reviewer.delete(`${path}/replies/${reply}`))
  const content = `${inApp}/changes/${number}`
  const [, requested, , ...replied] = await said(5)

  assert.equal(requested, {
    ...ofSpace,
    type: 'review_requested',
    action: 'reviewer.requested',
    number,
    users: [reviewer.id],
    target: { type: 'change-request', id },
    urls: { app: content },
  })
  const onRequest = { spaceId: space, changeRequest: id, target: { type: 'comment', id: comment } }
  const urls = { app: `${content}?comment=${comment}#comment-${comment}` }
  const ofReply = { ...onRequest, ...by(reviewer), reply, urls }

  assert.equal(replied, [
    { ...ofReply, type: 'reply_created', action: 'reply.created' },
    { ...ofReply, type: 'reply_deleted', action: 'reply.deleted' },
  ])
  fine(await admin.delete(path))
  fine(await admin.delete(path))
  const deleted = { type: 'comment_deleted', action: 'comment.deleted' }

  assert.equal(await said(1), [{ ...onRequest, ...by(admin), ...deleted }])
})

test('a processed OpenAPI spec sends its version, or why it has none', async () => {
  const path = `${org}/openapi/pets`
  fine(await admin.put(path, { source: { text: petstore('Pets') } }))
  const { id, lastVersion } = await processed(app, path)
  fine(await admin.put(path, { source: { text: 'not a spec' } }))
  await processed(app, path)
  const common = {
    type: 'openapi_spec_processed',
    action: 'openapi_spec.processed',
    slug: 'pets',
    ...by(admin),
    target: { type: 'openapi-spec', id },
  }

  assert.equal(await said(2), [
    { ...common, version: lastVersion },
    { ...common, error: 'PARSE_ERROR' },
  ])
})

test('people who join, change and leave are sent; who is only invited is not', async () => {
  const { users } = fine(
    await admin.post(`${org}/invites`, { emails: ['new@example.org'], role: 'read' }),
  )
  const [id] = users
  fine(await admin.patch(`${org}/members/${id}`, { role: 'edit' }))
  fine(await admin.patch(`${org}/members/${id}`, { role: 'edit' }))
  fine(await admin.delete(`${org}/members/${id}`))
  const common = { ...by(admin), target: { type: 'member', id } }

  assert.equal(await said(3), [
    { ...common, type: 'member_joined', action: 'member.invited', role: 'read', sso: false },
    {
      ...common,
      type: 'member_updated',
      action: 'member.updated',
      role: { before: 'read', after: 'edit' },
    },
    {
      ...common,
      type: 'member_removed',
      action: 'member.removed',
      role: 'edit',
      tokensRevoked: 0,
    },
  ])

  const stranger = app.user('Sid')
  insertOrganization(app.ctx.store, { id: 'other', title: 'Other', created_at: at })
  putMember(app.ctx.store, 'other', stranger.id, 'read', at)
  const invited = fine(await admin.post(`${org}/invites`, { emails: ['sid@example.org'] }))
  const [invitation] = invited.users
  fine(await stranger.post(`/v1/user/invitations/${invitation}`))

  assert.equal(await said(1), [
    {
      ...by(stranger),
      type: 'member_joined',
      action: 'member.joined',
      role: 'read',
      by: 'invitation',
      invitation,
      target: { type: 'member', id: stranger.id },
    },
  ])
})

test('teams that are created, renamed, joined and deleted are sent', async () => {
  const { id } = fine(await admin.put(`${org}/teams`, { title: 'Writers' }))
  const path = `${org}/teams/${id}`
  fine(await admin.patch(path, { title: 'Authors' }))
  fine(await admin.put(`${path}/members/${reviewer.id}`, { role: 'owner' }))
  fine(await admin.delete(path))
  const common = { ...by(admin), target: { type: 'team', id } }

  assert.equal(await said(4), [
    { ...common, type: 'team_created', action: 'team.created', members: [] },
    { ...common, type: 'team_updated', action: 'team.updated', changed: ['title'] },
    {
      ...common,
      type: 'team_updated',
      action: 'team.members_updated',
      added: { [reviewer.id]: 'owner' },
      changed: {},
      removed: [],
    },
    { ...common, type: 'team_deleted', action: 'team.deleted' },
  ])
})

test('no delivery contains a text that a user wrote', () => {
  for (const { text } of receiver.received)
    assert.not.match(text, /Private title|Between us|Better|Pets"|Writers|Authors|example\.org/)
})

test.run()
