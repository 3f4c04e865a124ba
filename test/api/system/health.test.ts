import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deleteIntent, insertIntent } from '../../../src/store/git/intents.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

test('the health check needs no token', async () => {
  const reply = await app.anonymous.get('/healthz', { connection: 'keep-alive' })
  assert.is(reply.status, 200)
  assert.equal(reply.body, { status: 'ok' })
  assert.ok(reply.headers.get('x-request-id'))
  assert.is(reply.headers.get('x-content-type-options'), 'nosniff')
  assert.is(reply.headers.get('x-powered-by'), null)
  // Proxies keep connections for one or two minutes and have to be the ones that close them.
  assert.ok(Number(/timeout=(\d+)/.exec(reply.headers.get('keep-alive') ?? '')?.[1]) > 120)
})

test('the server is ready while a space is read-only, and the metrics count it', async () => {
  const write = (id: string, ageMs: number) =>
    insertIntent(app.ctx.store, {
      id,
      space_id: 'none',
      kind: 'edit',
      user_id: null,
      moves: [],
      effects: [],
      answer: null,
      created_at: new Date(Date.now() - ageMs).toISOString(),
    })

  const stuck = async () => {
    const { status, body } = await app.anonymous.get('/readyz')
    assert.equal([status, body.status], [200, 'ok'])
    const metrics = (await app.anonymous.get('/metrics')).text
    assert.is(Number(/^stemma_spaces_read_only (\d+)$/m.exec(metrics)?.[1]), body.readOnlySpaces)
    return body.readOnlySpaces
  }

  assert.is(await stuck(), 0)
  write('under-way', 50)
  assert.is(await stuck(), 0, 'a write that is under way is nothing to worry about')
  write('stuck', 60_000)
  write('behind-it', 50_000)
  assert.is(await stuck(), 1)
  for (const id of ['stuck', 'behind-it', 'under-way']) deleteIntent(app.ctx.store, id)
  assert.is(await stuck(), 0)
})

test('an unknown path names the list of operations', async () => {
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/v1/nothing'],
    ['GET', '/V1/user'],
    ['POST', '/healthz'],
  ] as const) {
    const reply = await app.admin.request(method, path)
    assert.is(reply.status, 404, path)
    assert.match(reply.body.error.message, /\/v1\/openapi\.json lists all operations/)
  }
})

test('an unusable token is refused without a reason', async () => {
  const said = new Set<string>()
  for (const authorization of [
    'Bearer nope',
    'Bearer',
    'Basic YTpi',
    'Bearer a b',
    `Bearer ${'x'.repeat(600)}`,
  ]) {
    const reply = await app.anonymous.get('/v1/user', { authorization })
    assert.is(reply.status, 401, authorization)
    assert.is(reply.headers.get('www-authenticate'), 'Bearer')
    said.add(reply.body.error.message)
  }

  assert.is(said.size, 1)
})

test.run()
