import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Reply, startApp } from '../../support/app.ts'
import { isSigned, openReceiver } from '../../support/http/receiver.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
const { admin } = app
const receiver = await openReceiver()
test.after(async () => {
  await app.stop()
  await receiver.stop()
})

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const secret = 'a secret of the receiver'
const events = [
  'site_published',
  'site_unpublished',
  'site_updated',
  'site_structure_updated',
  'space_visibility_updated',
]
const sites = '/v1/orgs/acme/sites'
const newSpace = async (title: string): Promise<string> =>
  fine(await admin.post('/v1/orgs/acme/spaces', { title })).id
const [first, second] = [await newSpace('First'), await newSpace('Second')]
const site = fine(await admin.post(sites, { title: 'Guides', spaces: [first] })).id
fine(await admin.post('/v1/orgs/acme/webhooks', { url: receiver.url, events, secret }))

/** Returns what the next deliveries contain besides their id and time. */
async function next(count: number) {
  const before = seen
  seen += count
  const got = (await receiver.until(seen)).slice(before)
  for (const each of got) assert.ok(isSigned(each, secret))

  return got.map(({ body }) => {
    const { eventId, createdAt, ...rest } = body
    assert.match(eventId, /^\w{10,}$/)
    assert.is(new Date(createdAt).toISOString(), createdAt)
    return rest
  })
}
let seen = 0

const common = { organizationId: 'acme', actor: { id: admin.id } }
const ofSite = { ...common, target: { type: 'site', id: site } }

const visibility = (spaceId: string, previousVisibility: string, now: string) => ({
  ...common,
  type: 'space_visibility_updated',
  action: 'space.visibility_updated',
  spaceId,
  target: { type: 'space', id: spaceId },
  previousVisibility,
  visibility: now,
  urls: { app: `${app.url}/app/s/${spaceId}` },
})

test('publishing a site sends an event of the site and one of each space', async () => {
  fine(await admin.post(`${sites}/${site}/publish`))
  assert.equal(await next(2), [
    { ...ofSite, type: 'site_published', action: 'site.published', visibility: 'public' },
    visibility(first, 'private', 'public'),
  ])
})

test('a space on a site and off it sends the item and the change, and the visibility of the space', async () => {
  const structure = { ...ofSite, type: 'site_structure_updated', action: 'site.structure_updated' }
  const { id } = fine(await admin.post(`${sites}/${site}/site-spaces`, { spaceId: second }))
  const added = await next(2)
  assert.equal(
    added.find(({ type }) => type === 'space_visibility_updated'),
    visibility(second, 'private', 'public'),
  )
  const { item, change, type, action, target } = added.find(each => each.type === structure.type)

  assert.equal([item, change], [{ type: 'site-space', id }, 'added'])
  assert.equal({ ...common, type, action, target }, structure)
  fine(await admin.delete(`${sites}/${site}/site-spaces/${id}`))
  const removed = await next(2)

  assert.is(removed.find(each => each.type === structure.type).change, 'removed')
  assert.equal(
    removed.find(each => each.type === 'space_visibility_updated'),
    visibility(second, 'public', 'private'),
  )
})

test('new settings of a site send the names of the changed settings; equal settings send nothing', async () => {
  fine(await admin.patch(`${sites}/${site}`, { title: 'Guides' }))
  fine(await admin.patch(`${sites}/${site}`, { title: 'Handbook', visibility: 'unlisted' }))
  const got = await next(2)
  const updated = got.find(({ type }) => type === 'site_updated')

  assert.equal([...updated.changed].sort(), ['title', 'visibility'])
  assert.equal([updated.action, updated.target], ['site.updated', ofSite.target])
  assert.equal(
    got.find(({ type }) => type === 'space_visibility_updated'),
    visibility(first, 'public', 'unlisted'),
  )
})

test('unpublishing a site sends an event once; keys of share links are in none', async () => {
  const { urls } = fine(await admin.post(`${sites}/${site}/share-links`, { name: 'Partners' }))
  const key = new URL(urls.published).pathname.split('/').at(-2) as string
  fine(await admin.post(`${sites}/${site}/unpublish`))
  fine(await admin.post(`${sites}/${site}/unpublish`))
  assert.equal(await next(2), [
    { ...ofSite, type: 'site_unpublished', action: 'site.unpublished', visibility: 'unlisted' },
    visibility(first, 'unlisted', 'private'),
  ])
  const { privateKey } = fine(await admin.get(`${sites}/${site}/publishing/auth`))

  for (const { text } of receiver.received)
    for (const each of [key, privateKey]) assert.not.ok(text.includes(each))
})

test.run()
