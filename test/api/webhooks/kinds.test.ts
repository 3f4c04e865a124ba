import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { webhookEvents } from '../../../src/actions/events/webhook-events.ts'
import type { Actor, Reply } from '../../support/app.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { openReceiver, type Received, type Receiver } from '../../support/http/receiver.ts'

let bench: SyncBench
let receiver: Receiver
let admin: Actor
test.before(async () => {
  bench = await openSyncBench()
  admin = bench.app.admin
  receiver = await openReceiver()
  const events = webhookEvents.filter(event => event !== 'space_created')
  const hook = { url: receiver.url, events, secret: 'a secret of the receiver' }
  fine(await admin.post('/v1/orgs/acme/webhooks', hook))
})
test.after(async () => {
  await bench.stop()
  await receiver.stop()
})
test.before.each(() => {
  receiver.received.length = 0
})

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}
const types = (received: Received[]) => received.map(({ body }) => body.type)

test('an import sends events for its start, its changes and its end', async () => {
  bench.remote('origin', { 'README.md': '# Handbook\n' })
  const id = await bench.space()
  const before = fine(await admin.get(`/v1/spaces/${id}`)).revision
  const url = `${bench.host.origin}/origin.git`
  const done = await bench.sync('import', id, { url, ref: 'refs/heads/main' })
  const got = await receiver.until(3)

  assert.equal(types(got), [
    'space_gitsync_started',
    'space_content_updated',
    'space_gitsync_completed',
  ])
  const [started, updated, completed] = got.map(({ body }) => body)

  assert.equal(
    [started.operationId, started.revisionId, started.commitId, started.direction],
    [done.id, before, before, 'import'],
  )
  assert.is(updated.revisionId, done.revision)
  assert.equal(
    [completed.state, completed.operationId, completed.revisionId, completed.commitId],
    ['success', done.id, done.revision, done.revision],
  )
  await bench.sync('import', id, { url, ref: 'refs/heads/none' })
  const [, failed] = (await receiver.until(5)).slice(3)

  assert.equal([failed?.body.type, failed?.body.state], ['space_gitsync_completed', 'failure'])
})

test('a push sends an event without an actor', async () => {
  const id = await bench.space()
  const before = fine(await admin.get(`/v1/spaces/${id}`)).revision
  const tree = bench.git(id, 'rev-parse', `${before}^{tree}`)
  const who = ['-c', 'user.name=G', '-c', 'user.email=g@example.org']
  const commit = bench.git(id, ...who, 'commit-tree', '-m', 'Mine', '-p', before, tree)

  bench.git(id, 'update-ref', 'refs/heads/main', commit)
  fine(await admin.get(`/v1/spaces/${id}`))
  const [pushed] = await receiver.until(1)

  assert.equal(
    [pushed?.body.type, pushed?.body.actor, pushed?.body.pushed, pushed?.body.revisionId],
    ['space_content_updated', null, true, commit],
  )
})

test('discussion events contain ids, without texts', async () => {
  const reviewer = bench.app.user('Rita', 'admin')
  const id = await bench.space()
  const path = `/v1/spaces/${id}/change-requests`
  const request = fine(await admin.post(path, { subject: 'Better' }))
  const body = { markdown: 'Between us.' }
  const comment = fine(await admin.post(`${path}/${request.id}/comments`, { body }))

  fine(await admin.put(`${path}/${request.id}/comments/${comment.id}`, { resolved: true }))
  fine(await reviewer.post(`${path}/${request.id}/reviews`, { status: 'approved' }))
  fine(await admin.patch(`${path}/${request.id}`, { status: 'archived' }))
  const got = await receiver.until(5)

  assert.equal(types(got), [
    'change_request_opened',
    'comment_created',
    'comment_resolved',
    'review_submitted',
    'change_request_archived',
  ])
  assert.equal(got[1]?.body.target, { type: 'comment', id: comment.id })
  const address = `${bench.app.url}/app/s/${id}/changes/1`
  assert.equal(
    got.map(({ body: said }) => said.urls),
    [
      { app: address },
      { app: `${address}?comment=${comment.id}#comment-${comment.id}` },
      { app: `${address}?comment=${comment.id}#comment-${comment.id}` },
      { app: address },
      { app: address },
    ],
  )
  assert.equal(got[3]?.body.actor, { id: reviewer.id })
  for (const { text } of got) assert.not.match(text, /Between us|Better/)
})

test.run()
