import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Fault } from '../../src/errors.ts'
import { Answer, endpoint, joinRoutes, nothing, routes } from '../../src/http/endpoint.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'

const anyone = () => ({})
const order: string[] = []

const thing = endpoint({
  operationId: 'getThing',
  summary: 'Get a thing',
  params: z.object({ thingId: z.string().max(5) }),
  query: z.strictObject({ full: z.enum(['true', 'false']).optional() }),
  body: z.object({ title: z.string() }),
  reply: z.object({ id: z.string() }),
  access: ({ params, actor }) => {
    order.push('access')
    if (actor.type === 'anonymous') throw new Fault('token_required', 'Sign in first.')
    return { thing: { id: params.thingId } }
  },
  handle: ({ thing }) => {
    order.push('handle')
    return thing
  },
})
const plain = endpoint({
  operationId: 'getPlain',
  summary: 'Take nothing',
  params: z.object({}),
  reply: z.object({ ok: z.boolean() }),
  access: anyone,
  handle: () => new Answer({ ok: true }, { status: 202, headers: { 'X-More': 'yes' } }),
})
const gone = endpoint({
  operationId: 'deleteThing',
  summary: 'Delete a thing',
  params: z.object({ thingId: z.string() }),
  reply: nothing,
  access: anyone,
  handle: () => undefined,
})
const path = endpoint({
  operationId: 'getPath',
  summary: 'Give back the path',
  params: z.object({ pagePath: z.string() }),
  reply: z.object({ path: z.string() }),
  access: anyone,
  handle: ({ params }) => ({ path: params.pagePath }),
})

/** Calls that must not compile. Never called: the compiler is the test. */
export function refusedByTheCompiler() {
  // @ts-expect-error the endpoint has no such param
  routes({ 'GET /things/:id': thing })
  // @ts-expect-error the path lacks a param of the endpoint
  routes({ 'GET /things': thing })

  // @ts-expect-error an unknown method
  routes({ 'FETCH /plain': plain })

  // @ts-expect-error a path without a leading slash
  routes({ 'GET plain': plain })

  // @ts-expect-error two tables with the same path
  joinRoutes(routes({ 'GET /plain': plain }), routes({ 'GET /plain': plain }))

  // @ts-expect-error no guard
  endpoint({
    operationId: 'a',
    summary: '',
    params: z.object({}),
    reply: nothing,
    handle: () => undefined,
  })

  endpoint({
    operationId: 'b',
    summary: '',
    params: z.object({}),
    reply: z.object({ id: z.string() }),
    access: anyone,
    // @ts-expect-error the reply does not fit the schema
    handle: () => ({ id: 7 }),
  })

  endpoint({
    operationId: 'c',
    summary: '',
    params: z.object({}),
    reply: nothing,
    access: anyone,
    // @ts-expect-error no guard granted a space
    handle: ({ space }) => void space,
  })
}

let server: Mounted
let ada = ''
test.before(async () => {
  const table = routes({
    'POST /things/:thingId': thing,
    'DELETE /things/:thingId': gone,
    'GET /plain': plain,
    'GET /path/*pagePath': path,
  })
  server = await serveTable(table)
  ada = server.signIn('ada')
})
test.after(() => server.stop())

const post = (path: string, body: string, who = ada) =>
  server.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(who && { authorization: who }) },
    body,
  })

test('the path is parsed first, then the caller is identified, then the body is read', async () => {
  const told = async (path: string, body: string, who?: string) =>
    (await post(path, body, who)).status
  assert.is(await told('/things/too-long', '{', ''), 400)
  assert.is(
    await told('/things/a?x=1', '{', ''),
    401,
    'nobody learns what is wrong with a body before we know them',
  )
  assert.is(await told('/things/a', '{'), 400)
  order.length = 0
  assert.is(await told('/things/a?full=true', '{"title":"T"}'), 200)
  assert.equal(order, ['access', 'handle'])
})

test('an unknown query parameter is ignored and named, a wrong value is refused', async () => {
  const plainly = await server.send('/plain?page=2&utm_source=a&page=3')
  assert.equal([plainly.status, plainly.headers.get('stemma-ignored')], [202, 'page, utm_source'])
  const thing = await post('/things/a?full=true&%C3%A9%2C=1', '{"title":"T"}')

  assert.equal([thing.status, thing.headers.get('stemma-ignored')], [200, '%C3%A9%2C'])
  assert.match((await post('/things/a?full=1', '{"title":"T"}')).text, /\\"full\\" in the query/)
  assert.is((await server.send('/plain')).headers.get('stemma-ignored'), null)
  const many = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(100, 'x')}=1`).join('&')
  const named = (await server.send(`/plain?${many}`)).headers.get('stemma-ignored')

  assert.is(named?.split(', ').length, 20)
  assert.is(named?.split(', ')[0], 'x'.repeat(60))
})

test('an answer can set its status and headers', async () => {
  const reply = await server.send('/plain')
  assert.is(reply.status, 202)
  assert.is(reply.headers.get('x-more'), 'yes')
  assert.is(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  const none = await server.send('/things/a', { method: 'DELETE' })
  assert.is(none.status, 204)
  assert.is(none.text, '')
})

test('a wildcard is one decoded string', async () => {
  const get = async (path: string) => (await server.send(`/path/${path}`)).body
  assert.equal(await get('a/b/c'), { path: 'a/b/c' })
  assert.equal(await get('a%20b/%C3%A9'), { path: 'a b/é' })
})

test.run()
