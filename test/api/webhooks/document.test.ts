import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { webhookEvents } from '../../../src/actions/events/webhook-events.ts'
import type { Reply } from '../../support/app.ts'
import { ours, validateSent } from '../../support/conformance.ts'
import { openSyncBench } from '../../support/git/remote.ts'
import { openReceiver } from '../../support/http/receiver.ts'
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
const all = { url: receiver.url, events: ['*'], secret: 'a secret of the receiver' }
const hook = fine(await admin.post(`${org}/webhooks`, all)).id
const page = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `${title}.\n` } }],
})

const newSpace = async (body: object): Promise<string> =>
  fine(await admin.post(`${org}/spaces`, body)).id

/** Creates, changes, moves, copies, deletes and restores a space. Returns its id. */
async function actOnSpaces(): Promise<string> {
  const parent = fine(await admin.post(`${org}/collections`, { title: 'Parts' })).id
  const id = await newSpace({ title: 'Handbook', parent })
  const path = `/v1/spaces/${id}`
  fine(await admin.patch(path, { title: 'Guide', editMode: 'locked', language: 'de' }))
  fine(await admin.patch(path, { editMode: 'live' }))
  fine(await admin.post(`${path}/move`, { parent: null }))
  fine(await admin.post(`${path}/duplicate`))
  fine(await admin.post(`${path}/content`, page('First')))
  const gone = await newSpace({ title: 'Gone' })
  fine(await admin.delete(`/v1/spaces/${gone}`))
  fine(await admin.post(`/v1/spaces/${gone}/restore`))
  return id
}

async function actOnRequests(space: string): Promise<void> {
  const path = `/v1/spaces/${space}/change-requests`
  const { id } = fine(await admin.post(path, {}))
  const request = `${path}/${id}`
  fine(await admin.patch(request, { subject: 'Better', status: 'open' }))
  fine(await admin.post(`${request}/content`, page('Second')))
  fine(await admin.post(`${request}/requested-reviewers`, { users: [reviewer.id] }))
  const body = { markdown: 'Well done.' }
  fine(await reviewer.post(`${request}/reviews`, { status: 'approved', comment: body }))
  fine(await admin.post(`/v1/spaces/${space}/content`, page('Third')))
  fine(await admin.post(`${request}/update`))
  fine(await admin.post(`${request}/merge`))
  const other = fine(await admin.post(path, { subject: 'Worse' })).id
  fine(await admin.patch(`${path}/${other}`, { status: 'archived' }))
  fine(await admin.patch(`${path}/${other}`, { status: 'open' }))
  fine(await admin.patch(`${path}/${other}`, { status: 'draft' }))

  for (const base of [`/v1/spaces/${space}`, `${path}/${other}`]) {
    const comment = fine(await admin.post(`${base}/comments`, { body })).id
    const replies = `${base}/comments/${comment}/replies`
    const reply = fine(await reviewer.post(replies, { body })).id
    fine(await reviewer.delete(`${replies}/${reply}`))
    fine(await admin.put(`${base}/comments/${comment}`, { resolved: true }))
    fine(await admin.delete(`${base}/comments/${comment}`))
  }
}

async function actOnSites(spaces: string[]): Promise<void> {
  const sites = `${org}/sites`
  const { id } = fine(await admin.post(sites, { title: 'Manual', spaces: spaces.slice(0, 1) }))
  const site = `${sites}/${id}`
  fine(await admin.post(`${site}/publish`))
  fine(await admin.patch(site, { title: 'Manuals', visibility: 'unlisted', basename: 'manuals' }))
  const [, second, third] = spaces
  const shown = fine(await admin.post(`${site}/site-spaces`, { spaceId: second })).id
  fine(await admin.patch(`${site}/site-spaces/${shown}`, { path: 'other' }))
  const section = fine(await admin.post(`${site}/sections`, { spaceId: third, title: 'API' })).id
  fine(await admin.patch(`${site}/sections/${section}`, { title: 'Reference' }))
  const group = { title: 'More', sections: [section] }
  const made = fine(await admin.post(`${site}/section-groups`, group)).id
  fine(await admin.delete(`${site}/section-groups/${made}`))
  fine(await admin.delete(`${site}/sections/${section}`))
  fine(await admin.post(`${site}/unpublish`))
}

async function actOnPeople(): Promise<void> {
  const invited = { emails: ['new@example.org'], role: 'read' }
  const [id] = fine(await admin.post(`${org}/invites`, invited)).users
  fine(await admin.patch(`${org}/members/${id}`, { role: null }))
  const link = fine(await admin.post(`${org}/link-invites`, { role: 'edit' })).id
  const stranger = app.user('Sid')
  fine(await stranger.post(`${org}/invites/${link}`))
  const team = fine(await admin.put(`${org}/teams`, { title: 'Writers', members: [id] })).id
  const path = `${org}/teams/${team}`
  fine(await admin.patch(path, { title: 'Authors' }))
  fine(await admin.put(`${path}/members`, { add: [reviewer.id], remove: [id] }))
  fine(await admin.put(`${path}/members/${reviewer.id}`, { role: 'owner' }))
  fine(await admin.delete(path))
  fine(await admin.delete(`${org}/members/${id}`))
}

async function actOnSources(space: string): Promise<void> {
  const spec = `${org}/openapi/pets`
  for (const text of [petstore('Pets'), 'not a spec']) {
    fine(await admin.put(spec, { source: { text } }))
    await processed(app, spec)
  }
  bench.remote('origin', { 'README.md': '# Imported\n' })
  const url = `${bench.host.origin}/origin.git`
  for (const branch of ['main', 'none'])
    await bench.sync('import', space, { url, ref: `refs/heads/${branch}`, force: true })
}

test('every event is sent as the document describes it', async () => {
  const space = await actOnSpaces()
  await actOnRequests(space)
  await actOnSites([space, await newSpace({ title: 'B' }), await newSpace({ title: 'C' })])
  await actOnPeople()
  await actOnSources(await bench.space())
  fine(await admin.post(`${org}/webhooks/${hook}/ping`))
  for (let count = 1; receiver.received.at(-1)?.body.type !== 'ping'; count++)
    await receiver.until(count)

  for (const { body } of receiver.received) validateSent(body)
  const sent = new Set(receiver.received.map(({ body }) => body.type))
  const known = [...webhookEvents, 'ping'].sort()

  assert.equal([...sent].sort(), known)
  assert.equal(Object.keys(ours.webhooks).sort(), known)
})

/** Returns what a check finds wrong with a body. */
function wrongWith(body: unknown): string {
  try {
    validateSent(body)
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing'
}

test('the check finds a field that the document does not have, and one that is missing', () => {
  const body = receiver.received.find(({ body }) => body.type === 'member_joined')?.body
  assert.is(wrongWith(body), 'nothing')
  assert.match(wrongWith({ ...body, email: 'new@example.org' }), /"additionalProperty":"email"/)
  assert.match(wrongWith({ ...body, role: undefined }), /"missingProperty":"role"|\/role/)
  assert.match(wrongWith({ ...body, type: 'member_born' }), /no event "member_born"/)
})

test('every field of an event has a description', () => {
  for (const [type, { post }] of Object.entries<{ post: { requestBody: object } }>(ours.webhooks)) {
    const [, name = ''] = /schemas\/(\w+)"/.exec(JSON.stringify(post.requestBody)) ?? []
    const { properties } = ours.components.schemas[name]
    for (const [field, schema] of Object.entries<{ description?: string }>(properties))
      assert.ok(schema.description, `${type} ${field}`)
  }
})

test.run()
