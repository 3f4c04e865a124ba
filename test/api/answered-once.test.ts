import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { sqlRows } from '../../src/store/store.ts'
import { type App, startApp } from '../support/app.ts'

let app: App

test.before(async () => {
  app = await startApp()
  const at = '2026-01-01T00:00:00.000Z'
  insertOrganization(app.ctx.store, { id: 'globe', title: 'Globe', created_at: at })
  putMember(app.ctx.store, 'globe', app.admin.id, 'admin', at)
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

const lists = ['/v1/orgs/acme/collections', '/v1/orgs/acme/spaces', '/v1/orgs/globe/spaces']

/** Returns all collections and spaces as text. */
async function everything(): Promise<string> {
  const replies = await Promise.all(
    [...lists, '/v1/orgs/globe/collections'].map(path => app.admin.get(path)),
  )
  return replies.map(reply => reply.text).join('\n')
}

/** Sends a request that changes only rows with a key whose answer cannot be stored at first. */
async function once(path: string, body: object, status: number): Promise<void> {
  const before = await everything()
  const send = () =>
    app.admin.post(path, body, { 'idempotency-key': `key of ${path}`.replaceAll(' ', '-') })
  execute(
    "create trigger full before insert on idempotency begin select raise(abort, 'no room'); end",
  )
  const refused = await send()

  execute('drop trigger full')
  assert.is(refused.status, 500, refused.text)
  assert.is(await everything(), before, `${path} did half of its work`)
  const done = await send()

  assert.is(done.status, status, done.text)
  const after = await everything()
  const again = await send()

  assert.is(again.text, done.text)
  assert.is(again.headers.get('idempotent-replayed'), 'true')
  assert.is(await everything(), after, `${path} was done twice`)
}

test('a change of rows and its stored answer are one transaction', async () => {
  const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  const { body: parent } = await app.admin.post('/v1/orgs/acme/collections', { title: 'Parent' })
  await once('/v1/orgs/acme/collections', { title: 'Made' }, 201)
  const { body: made } = await app.admin.get('/v1/orgs/acme/collections')
  const child = made.items.find((each: { title: string }) => each.title === 'Made')

  await once(`/v1/collections/${child.id}/move`, { parent: parent.id }, 200)
  await once(`/v1/spaces/${space.id}/move`, { parent: child.id }, 200)
  await once(`/v1/spaces/${space.id}/transfer`, { organization: 'globe' }, 200)
  await once(`/v1/collections/${parent.id}/transfer`, { organization: 'globe' }, 200)
  assert.is((await app.admin.delete(`/v1/spaces/${space.id}`)).status, 204)
  await once(`/v1/spaces/${space.id}/restore`, {}, 200)
})

test.run()
