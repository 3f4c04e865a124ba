import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import type { Reply } from '../../support/app.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'

const log = '/v1/orgs/acme/audit-events'

let bench: SyncBench
test.before(async () => {
  bench = await openSyncBench()
  const at = '2026-01-01T00:00:00.000Z'
  insertOrganization(bench.app.ctx.store, { id: 'umbrella', title: 'Umbrella', created_at: at })
  putMember(bench.app.ctx.store, 'umbrella', bench.app.admin.id, 'admin', at)
})
test.after(() => bench.stop())

type Event = Reply['body']

/** Returns the events since the last call, oldest first. */
let known = new Set<string>()
async function news(path = log): Promise<Event[]> {
  const { items } = (await bench.app.admin.get(`${path}?limit=100`)).body
  const fresh = items.filter(({ id }: Event) => !known.has(id)).reverse()
  known = new Set([...known, ...fresh.map(({ id }: Event) => id)])
  return fresh
}
const names = (events: Event[]) => events.map(({ action }) => action)

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

test('spaces: created, changed, copied, moved, deleted, restored, transferred', async () => {
  const { admin } = bench.app
  const { id } = fine(await admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' }))
  const path = `/v1/spaces/${id}`
  const shelf = fine(await admin.post('/v1/orgs/acme/collections', { title: 'Shelf' }))

  fine(await admin.patch(path, { title: 'Guide', language: 'de' }))
  const copy = fine(await admin.post(`${path}/duplicate`))

  fine(await admin.post(`${path}/move`, { parent: shelf.id }))
  fine(await admin.delete(`/v1/spaces/${copy.id}`))
  fine(await admin.delete(`/v1/spaces/${copy.id}`))
  fine(await admin.post(`/v1/spaces/${copy.id}/restore`))
  fine(await admin.post(`/v1/spaces/${copy.id}/transfer`, { organization: 'umbrella' }))
  const events = await news()

  assert.equal(names(events), [
    'space.created',
    'collection.created',
    'space.updated',
    'space.duplicated',
    'space.moved',
    'space.deleted',
    'space.restored',
    'space.transferred',
  ])

  assert.equal(events[2].details, {
    changed: ['title', 'language'],
    language: { from: null, to: 'de' },
  })
  assert.equal(events[4].details, { parent: { from: null, to: shelf.id } })
  assert.ok(
    events.every(({ actor, address }) => actor.user.id === admin.id && address === '127.0.0.1'),
  )
  assert.equal(names(await news('/v1/orgs/umbrella/audit-events')), ['space.transferred'])
})

test('collections, the organization, users', async () => {
  const { admin } = bench.app
  const one = fine(await admin.post('/v1/orgs/acme/collections', { title: 'One' }))
  const two = fine(await admin.post('/v1/orgs/acme/collections', { title: 'Two' }))
  fine(await admin.patch(`/v1/collections/${one.id}`, { defaultLevel: 'edit' }))
  fine(await admin.post(`/v1/collections/${one.id}/move`, { parent: two.id }))
  fine(await admin.delete(`/v1/collections/${one.id}`))
  fine(await admin.post(`/v1/collections/${two.id}/transfer`, { organization: 'umbrella' }))
  fine(await admin.patch('/v1/orgs/acme', { title: 'Acme & Sons', defaultRole: null }))
  fine(await admin.patch(`/v1/users/${admin.id}`, { displayName: 'Ada L.' }))
  const events = await news()

  assert.equal(names(events), [
    'collection.created',
    'collection.created',
    'collection.updated',
    'collection.moved',
    'collection.deleted',
    'collection.transferred',
    'organization.updated',
    'user.updated',
  ])
  const { changed, defaultRole } = events[6].details

  assert.equal([changed, defaultRole], [['title', 'defaultRole'], { from: 'read', to: null }])
  assert.not.match(JSON.stringify(events.map(({ details }) => details)), /Sons|Ada L/)
})

test('change requests: drafted, opened, edited, updated, merged, archived', async () => {
  const { admin } = bench.app
  const { id } = fine(await admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' }))
  const path = `/v1/spaces/${id}`
  const page = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.\n' } }],
  })
  const request = fine(await admin.post(`${path}/change-requests`, {}))
  const branch = `${path}/change-requests/${request.id}`

  fine(await admin.patch(branch, { subject: 'Better', status: 'open' }))
  const before = fine(await admin.get(path)).revision
  const written = fine(await admin.post(`${path}/content`, page('One')))

  fine(await admin.post(`${branch}/content`, page('Two')))
  fine(await admin.post(`${branch}/update`))
  fine(await admin.patch(branch, { status: 'archived' }))
  fine(await admin.patch(branch, { status: 'open' }))
  fine(await admin.post(`${branch}/merge`))
  const events = await news()

  assert.equal(names(events), [
    'space.created',
    'change_request.drafted',
    'change_request.updated',
    'change_request.opened',
    'space.content_updated',
    'change_request.content_updated',
    'change_request.content_updated',
    'change_request.archived',
    'change_request.opened',
    'change_request.merged',
  ])
  assert.equal(events[4].details, { revision: written.revision, from: before })
  assert.equal(events[8].details.status, { from: 'archived', to: 'open' })
  assert.ok(events.every(({ requestId, space }) => requestId && space === id))
})

test('pushed commits are recorded without an actor', async () => {
  const id = await bench.space()
  const before = fine(await bench.app.admin.get(`/v1/spaces/${id}`)).revision
  await news()
  const tree = bench.git(id, 'rev-parse', `${before}^{tree}`)
  const commit = bench.git(
    id,
    '-c',
    'user.name=G',
    '-c',
    'user.email=g@x',
    'commit-tree',
    '-m',
    'Mine',
    '-p',
    before,
    tree,
  )

  bench.git(id, 'update-ref', 'refs/heads/main', commit)
  assert.is(fine(await bench.app.admin.get(`/v1/spaces/${id}`)).revision, commit)
  const [pushed, ...none] = await news()

  assert.equal(none, [])
  assert.is(pushed.action, 'space.content_updated')
  assert.equal(pushed.actor, { type: 'unknown' })
  assert.equal([pushed.address, pushed.token], [undefined, undefined])
  assert.equal(pushed.details, { revision: commit, from: before, pushed: true })
})

test('imports and exports are recorded at their start and end', async () => {
  const url = `${bench.host.origin}/origin.git`
  bench.remote('origin', { 'README.md': '# Handbook\n' })
  const id = await bench.space()
  await news()
  const ref = 'refs/heads/main'
  const done = await bench.sync('import', id, { url: url.replace('://', '://ada:secret@'), ref })

  await bench.sync('import', id, { url, ref: 'refs/heads/none' })
  fine(await bench.app.admin.delete(`/v1/spaces/${id}/git/legacy-installation`))
  fine(await bench.app.admin.delete(`/v1/spaces/${id}/git/legacy-installation`))
  const events = await news()

  assert.equal(names(events), [
    'git_sync.started',
    'space.content_updated',
    'git_sync.completed',
    'git_sync.started',
    'git_sync.completed',
    'git_sync.forgotten',
  ])
  assert.is(events[0].target.id, done.id)
  assert.is(events[1].details.synchronized, true)
  assert.equal([events[2].details.state, events[2].details.revision], ['success', done.revision])
  assert.is(events[4].details.state, 'failure')
  assert.not.match(JSON.stringify(events), /secret/)
})

test.run()
