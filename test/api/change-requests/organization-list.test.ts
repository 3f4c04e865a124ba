import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const open = await makeSpace(app, { default_level: 'read' })
const closed = await makeSpace(app, { default_level: null })
const gone = await makeSpace(app, { default_level: 'read' })
const editor = app.user('Ed', 'create')
const path = '/v1/orgs/acme/change-requests'
test.before(async () => {
  await editor.post(open.path, { subject: 'One' })
  await editor.post(closed.path, { subject: 'Two' })
  await editor.post(open.path, { subject: 'Three' })
  await editor.post(gone.path, { subject: 'Lost' })
  await app.admin.post(open.path)
  await app.admin.delete(`/v1/spaces/${gone.id}`)
})
test.after(() => app.stop())

const subjects = async (actor: Actor, query = ''): Promise<string[]> => {
  const reply = await actor.get(path + query)
  assert.is(reply.status, 200, reply.text)
  return reply.body.items.map((item: { subject: string }) => item.subject)
}

test('change requests of all spaces are listed newest first, without those of deleted spaces', async () => {
  assert.equal(await subjects(app.admin), ['Three', 'Two', 'One'])
  assert.equal(await subjects(app.admin, '?status=draft'), [''])
  assert.equal(await subjects(app.admin, `?creator=${app.admin.id}&status=draft`), [''])
  assert.equal(await subjects(app.admin, `?creator=${app.admin.id}`), [])
  assert.equal(await subjects(app.admin, '?requestedReviewer=ed'), [])
})

test('those of one space, or of the spaces on a site, are listed', async () => {
  assert.equal(await subjects(app.admin, `?space=${closed.id}`), ['Two'])
  assert.equal(await subjects(app.user('Rex', 'read'), `?space=${closed.id}`), [])
  const { body: site } = await app.admin.post('/v1/orgs/acme/sites', { spaces: [open.id] })
  assert.equal(await subjects(app.admin, `?site=${site.id}`), ['Three', 'One'])
  assert.equal(await subjects(app.admin, `?site=${site.id}&space=${closed.id}`), [])
  assert.is((await app.admin.get(`${path}?site=none`)).status, 404)
  assert.is((await app.user('Gil', null).get(`${path}?site=${site.id}`)).status, 404)
})

test('only spaces that the caller can see are included', async () => {
  assert.equal(await subjects(app.user('Rita', 'read')), ['Three', 'One'])
  assert.equal(await subjects(app.user('Gus', null)), [])
  assert.is((await app.user('Sam').get(path)).status, 404)
  assert.is((await app.anonymous.get(path)).status, 401)
})

test('pages contain each one once, also when some are invisible', async () => {
  for (const [actor, wanted] of [
    [app.admin, ['Three', 'Two', 'One']],
    [app.user('Ron', 'read'), ['Three', 'One']],
  ] as const) {
    const seen: string[] = []
    let query = '?limit=1'
    for (;;) {
      const { body } = await actor.get(path + query)
      seen.push(...body.items.map((item: { subject: string }) => item.subject))
      if (!body.next) break
      query = `?limit=1&page=${body.next.page}`
    }

    assert.equal(seen, wanted)
  }

  const { body } = await app.admin.get(`${path}?limit=1`)
  assert.is((await app.admin.get(`${path}?page=${body.next.page}&status=draft`)).status, 400)
})

test.run()
