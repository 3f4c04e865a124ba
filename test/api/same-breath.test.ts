import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putMember } from '../../src/store/people/organizations.ts'
import { actor, type Reply, startApp } from '../support/app.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
const { admin } = app
const bob = app.user('Bob', 'admin')
test.after(() => app.stop())

const hooks = '/v1/orgs/acme/webhooks'
const made = async (path: string, body: unknown): Promise<string> =>
  (await admin.post(path, body)).body.id
const hook = () =>
  made(hooks, { url: 'http://127.0.0.1:2/', events: ['*'], secret: 'a secret of the receiver' })

/** Actions of an admin, and their names in the audit log. */
const acts: Record<string, () => Promise<() => Promise<Reply>>> = {
  'organization.updated': async () => () =>
    bob.patch('/v1/orgs/acme', { title: `Bob ${Math.random()}` }),
  'webhook.deleted': async () => {
    const id = await hook()
    return () => bob.delete(`${hooks}/${id}`)
  },
  'webhook.pinged': async () => {
    const id = await hook()
    return () => bob.post(`${hooks}/${id}/ping`)
  },
  'space.deleted': async () => {
    const id = await made('/v1/orgs/acme/spaces', { title: 'S', empty: true })
    return () => bob.delete(`/v1/spaces/${id}`)
  },
  'collection.updated': async () => {
    const id = await made('/v1/orgs/acme/collections', { title: 'C' })
    return () => bob.patch(`/v1/collections/${id}`, { title: `C ${Math.random()}` })
  },
  'collection.moved': async () => {
    const [id, parent] = [
      await made('/v1/orgs/acme/collections', { title: 'C' }),
      await made('/v1/orgs/acme/collections', { title: 'P' }),
    ]
    return () => bob.post(`/v1/collections/${id}/move`, { parent })
  },
  'collection.deleted': async () => {
    const id = await made('/v1/orgs/acme/collections', { title: 'C' })
    return () => bob.delete(`/v1/collections/${id}`)
  },
}

for (const [action, prepare] of Object.entries(acts))
  test(`a former admin is refused within the same batch of writes: ${action}`, async () => {
    for (let turn = 0; turn < 5; turn++) {
      putMember(app.ctx.store, 'acme', 'bob', 'admin', '2026-01-01T00:00:00.000Z')
      const act = await prepare()
      await Promise.all([admin.patch('/v1/orgs/acme/members/bob', { role: 'read' }), act()])
      const { items } = (await admin.get('/v1/orgs/acme/audit-events?limit=1')).body
      // His own action may come first; nothing of his comes after it.
      assert.is(items[0].action, 'member.updated')
    }
  })

test('a revoked token creates no token within the same batch of writes', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const { id, token } = (await admin.post('/v1/user/tokens', { name: 'old' })).body
    const held = actor(app.url, 'ada', token)
    const [, made] = await Promise.all([
      admin.delete(`/v1/user/tokens/${id}`),
      held.post('/v1/user/tokens', { name: 'new' }),
    ])
    const { items } = (await admin.get('/v1/orgs/acme/audit-events?limit=2')).body
    if (made.status === 401) continue
    assert.is(made.status, 201)
    assert.equal(
      items.map((event: { action: string }) => event.action),
      ['token.revoked', 'token.created'],
    )
  }
})

test.run()
