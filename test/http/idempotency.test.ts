import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Fault } from '../../src/errors.ts'
import { Answer, endpoint, nothing, routes } from '../../src/http/endpoint.ts'
import { deleteOldAnswers, findAnswer, keepAnswer } from '../../src/store/events/idempotency.ts'
import { Store } from '../../src/store/store.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'

let runs = 0
const params = z.object({})

const make = endpoint({
  operationId: 'make',
  summary: 'Make a thing',
  params,
  body: z.object({ title: z.string() }),
  reply: z.object({ id: z.string(), title: z.string() }),
  status: 201,
  access: () => ({}),
  handle: async ({ body }) => {
    await setTimeout(20)
    runs += 1
    if (body.title === 'bad') throw new Fault('name_in_use', 'There is one.')
    return { id: `thing-${runs}`, title: body.title }
  },
})
const begin = endpoint({
  operationId: 'begin',
  summary: 'Start something',
  params,
  reply: nothing,
  access: () => ({}),
  handle: () => {
    runs += 1
    return new Answer(undefined, { headers: { Location: `/things/${runs}` } })
  },
})
const move = endpoint({
  operationId: 'move',
  summary: 'Move a thing, with an answer that is stored before it is sent',
  params,
  reply: z.object({ address: z.string() }),
  access: () => ({}),
  handle: ({ ctx, request }) => {
    const { idempotency } = request
    const stored = { status: 200, body: JSON.stringify({ address: 'at the commit' }) }
    if (idempotency) keepAnswer(ctx.store, idempotency, stored, ctx.now())
    return new Answer({ address: 'a moment later' }, { headers: { Location: '/things/1' } })
  },
})

let server: Mounted
let [ada, bob] = ['', '']
test.before(async () => {
  server = await serveTable(
    routes({ 'POST /things': make, 'POST /begin': begin, 'PUT /things': make, 'POST /move': move }),
  )
  ada = server.signIn('ada')
  bob = server.signIn('bob')
})
test.after(() => server.stop())

const post = (
  key: string | undefined,
  title = 'a',
  { who = ada, method = 'POST', path = '/things' } = {},
) =>
  server.send(path, {
    method,
    headers: {
      ...(who && { authorization: who }),
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ title }),
  })

test('a repeated key returns the first answer and has no effect', async () => {
  const before = runs
  const first = await post('k1')
  const again = await post('k1')
  assert.is(first.status, 201)
  assert.is(again.status, 201)
  assert.is(again.text, first.text)
  assert.is(first.headers.get('idempotent-replayed'), null)
  assert.is(again.headers.get('idempotent-replayed'), 'true')
  assert.is(runs, before + 1)
})

test('a key used for another request is a conflict', async () => {
  await post('k2')
  const other = await post('k2', 'b')
  assert.is(other.status, 409)
  assert.match(other.text, /new key/)
  assert.is((await post('k2', 'a', { path: '/begin' })).status, 409)
})

test('a key belongs to its user', async () => {
  const first = await post('k3')
  const other = await post('k3', 'a', { who: bob })
  assert.is.not(other.text, first.text)
})

test('two concurrent requests with one key run once', async () => {
  const before = runs
  const replies = await Promise.all(Array.from({ length: 8 }, () => post('k4')))
  assert.is(runs, before + 1)
  assert.is(new Set(replies.map(reply => reply.text)).size, 1)
})

test('a failed request can be repeated with its key', async () => {
  const before = runs
  assert.is((await post('k5', 'bad')).status, 409)
  assert.is((await post('k5', 'bad')).status, 409)
  assert.is(runs, before + 2)
})

test('an answer without a body is stored too', async () => {
  const before = runs
  const first = await post('k6', 'a', { path: '/begin' })
  const again = await post('k6', 'a', { path: '/begin' })
  assert.equal([first.status, again.status], [204, 204])
  assert.is(runs, before + 1)
  // The header has the URL of the started operation, which clients could not find otherwise.
  assert.is(again.headers.get('location'), first.headers.get('location'))
  assert.ok(again.headers.get('location'))
})

test('the first answer is the stored one, though rows changed after it was stored', async () => {
  const first = await post('k8', 'a', { path: '/move' })
  const again = await post('k8', 'a', { path: '/move' })
  assert.equal(first.body, { address: 'at the commit' })
  assert.is(again.text, first.text)
  assert.is(first.headers.get('location'), '/things/1')
})

test('after a day the key can be used again', async () => {
  const first = await post('k7')
  const day = 24 * 60 * 60 * 1000
  const now = server.ctx.now
  Object.assign(server.ctx, { now: () => new Date(now().getTime() + day + 1000) })
  const later = await post('k7', 'b')
  const again = await post('k7', 'b')

  Object.assign(server.ctx, { now })
  assert.is(first.status, 201)
  assert.is(later.status, 201)

  // From then on it is the key of the later request.
  assert.is(again.text, later.text)
})

test('only a POST with a token has a key', async () => {
  const before = runs
  await post('k8', 'a', { method: 'PUT' })
  await post('k8', 'a', { method: 'PUT' })
  await post('k8', 'a', { who: '' })
  await post('k8', 'a', { who: '' })
  assert.is(runs, before + 4)
})

test('an invalid key is refused', async () => {
  for (const key of ['', 'a b', 'é', 'x'.repeat(201)]) {
    const reply = await post(key).catch(() => ({ status: 400, text: 'Idempotency-Key' }))
    assert.is(reply.status, 400, key)
    assert.match(reply.text, /Idempotency-Key/)
  }
})

test('answers are removed after a day, in batches', () => {
  const store = new Store(':memory:')
  const at = new Date('2026-01-01T00:00:00.000Z')
  const hours = (count: number) => new Date(at.getTime() + count * 3_600_000)
  const to = (key: string) => ({ userId: 'grace', key, requestHash: 'h' })

  for (const key of ['a', 'b', 'c']) keepAnswer(store, to(key), { status: 204 }, at)
  keepAnswer(store, to('later'), { status: 204 }, hours(2))
  const counts = [24, 25, 25, 25].map(time => deleteOldAnswers(store, hours(time), 2))

  assert.equal(counts, [0, 2, 1, 0])
  assert.ok(findAnswer(store, to('later'), hours(25)))
  store.close()
})

test.run()
