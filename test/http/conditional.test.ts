import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { matchList, notModified } from '../../src/http/conditional.ts'
import { endpoint, routes } from '../../src/http/endpoint.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'

const page = endpoint({
  operationId: 'getPage',
  summary: 'A text with an ETag',
  params: z.object({}),
  reply: 'text/plain',
  access: () => ({}),
  handle: () => ({ bytes: Buffer.from('text'), etag: 'abc', type: 'text/plain; charset=utf-8' }),
})

const pieces = endpoint({
  operationId: 'getPieces',
  summary: 'Bytes that come bit by bit',
  params: z.object({}),
  reply: 'application/octet-stream',
  access: () => ({}),
  handle: () => ({
    bytes: (async function* () {
      for (const text of ['one ', 'two ', 'three']) yield Buffer.from(text)
    })(),
    type: 'application/octet-stream',
    cacheControl: 'public, max-age=60',
    headers: { 'X-Pieces': '3' },
  }),
})

let server: Mounted
test.before(async () => {
  server = await serveTable(routes({ 'GET /page': page, 'GET /pieces': pieces }))
})
test.after(() => server.stop())

test('If-None-Match supports lists, weak ETags and the star', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b" , W/"a"', '*', ' * '])
    assert.ok(notModified(header, 'a'), header)
  for (const header of [undefined, '', '"b"', 'a', '"A"', '"a', `"${'x'.repeat(5000)}", "a"`])
    assert.not(notModified(header, 'a'), header)
})

test('If-Match returns the ETags that it names', () => {
  assert.is(matchList(undefined), undefined)
  assert.is(matchList('*'), '*')
  assert.equal(matchList('"a", W/"b", c'), ['a', 'b', 'c'])
  const revision = 'a1'.repeat(20)
  assert.equal(matchList(`"${revision}-0123456789abcdef", "${revision}"`), [revision, revision])
})

test('an answer that the client has is not sent again', async () => {
  const first = await server.send('/page')
  assert.is(first.status, 200)
  assert.is(first.text, 'text')
  assert.is(first.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.is(first.headers.get('cache-control'), 'private, no-cache')
  const etag = first.headers.get('etag') as string

  assert.is(etag, '"abc"')
  const second = await server.send('/page', { headers: { 'if-none-match': etag } })

  assert.is(second.status, 304)
  assert.is(second.text, '')
  assert.is(second.headers.get('etag'), etag)
  assert.is((await server.send('/page', { headers: { 'if-none-match': '"abd"' } })).status, 200)
})

test('a reply can be a stream of bytes', async () => {
  const reply = await server.send('/pieces')
  assert.is(reply.text, 'one two three')
  assert.is(reply.headers.get('cache-control'), 'public, max-age=60')
  assert.is(reply.headers.get('x-pieces'), '3')
})

test.run()
