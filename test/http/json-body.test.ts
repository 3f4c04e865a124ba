import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { endpoint, routes } from '../../src/http/endpoint.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'
import { runs } from '../support/long-run.ts'

const echo = endpoint({
  operationId: 'echo',
  summary: 'Give back what came',
  params: z.object({}),
  body: z.unknown(),
  bodyLimit: 100_000,
  reply: z.unknown(),
  access: () => ({}),
  handle: ({ body }) => ({ got: body }),
})

const optional = endpoint({
  operationId: 'optional',
  summary: 'Take a body or none',
  params: z.object({}),
  body: z.strictObject({ title: z.string().max(5).optional() }),
  bodyOptional: true,
  reply: z.unknown(),
  access: () => ({}),
  handle: ({ body }) => ({ got: body }),
})

let server: Mounted
test.before(async () => {
  server = await serveTable(routes({ 'POST /echo': echo, 'POST /optional': optional }))
})
test.after(() => server.stop())

const json: Record<string, string> = { 'content-type': 'application/json' }
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  server.send('/echo', { method: 'POST', headers, body })

async function refused(
  status: number,
  said: RegExp,
  body: string | Uint8Array<ArrayBuffer>,
  headers = json,
) {
  const reply = await post(body, headers)
  assert.is(reply.status, status, reply.text)
  assert.match((reply.body as { error: { message: string } }).error.message, said)
}

test('every JSON value arrives as sent', async () => {
  const value = fc
    .jsonValue({ maxDepth: 6 })
    .filter(
      value => value !== null && !/\\u0000|__proto__|\\ud[89a-f]/i.test(JSON.stringify(value)),
    )
  await fc.assert(
    fc.asyncProperty(value, async value => {
      const reply = await post(JSON.stringify(value))
      assert.is(reply.status, 200, reply.text)
      assert.is(JSON.stringify(reply.body), JSON.stringify({ got: value }))
    }),
    { numRuns: runs(60) },
  )
})

test('a body may be left out only where the endpoint says so', async () => {
  assert.equal((await server.send('/optional', { method: 'POST' })).body, { got: {} })
  await refused(400, /Send a JSON body/, '')
  const bare = await server.send('/echo', { method: 'POST' })
  assert.is(bare.status, 400)
})

test('the content type has to be JSON in UTF-8', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/merge-patch+json',
  ])
    assert.is((await post('{}', { 'content-type': type })).status, 200, type)

  for (const type of [
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
  ])
    await refused(415, /Content-Type: application\/json/, '{}', { 'content-type': type })

  await refused(415, /UTF-8/, '{}', { 'content-type': 'application/json; charset=latin1' })
})

test('anything but JSON in UTF-8 is refused', async () => {
  for (const body of ['{', 'nope', '{"a":1}}', "{'a':1}", '[1,]', '\u00a0{}', 'NaN'])
    await refused(400, /not valid JSON/, body)
  await refused(400, /not valid JSON/, Buffer.from([0x22, 0xc3, 0x28, 0x22]))
  await refused(400, /not valid JSON/, Buffer.from('{"a":1}', 'utf16le'))
})

test('prototype keys, NUL, broken Unicode and huge numbers are refused', async () => {
  await refused(400, /levels deep/, '['.repeat(65) + ']'.repeat(65))
  await refused(400, /levels deep|not valid/, '['.repeat(49_000) + ']'.repeat(49_000))
  await refused(400, /__proto__/, '{"a":[{"__proto__":{"admin":true}}]}')
  await refused(400, /NUL/, '{"a":"b\\u0000"}')
  await refused(400, /NUL/, '{"b\\u0000":1}')
  await refused(400, /well-formed/, '{"a":"\\ud800"}')
  await refused(400, /well-formed/, '{"\\udc00":1}')
  await refused(400, /number/, '{"a":[1e999]}')
  await refused(400, /values/, JSON.stringify(Array(20_001).fill(0)))
  assert.is((await post('['.repeat(64) + ']'.repeat(64))).status, 200)
  assert.is((await post('{"constructor":{"prototype":1},"toString":"b"}')).status, 200)
})

test('brackets and commas in strings count as neither nesting nor values', async () => {
  for (const text of [
    '['.repeat(1000),
    ','.repeat(20_000),
    '"[{,'.repeat(5000),
    '\\'.repeat(9),
    '\\"[,'.repeat(4000),
  ]) {
    const reply = await post(JSON.stringify([text, { [text]: [] }, text]))
    assert.is(reply.status, 200, reply.text)
  }

  assert.is((await post(JSON.stringify(Array(20_000).fill(0)))).status, 200)
  assert.is((await post(`[${Array(9_999).fill('[ ]').join()}]`)).status, 200)
  await refused(400, /values/, `[${Array(20_001).fill('{ }').join()}]`)
})

test('an endless list is refused before it is parsed', async () => {
  for (const item of ['0', '{}', '""', '[]'])
    await refused(
      400,
      /values/,
      `[${Array(Math.floor(90_000 / (item.length + 1)))
        .fill(item)
        .join()}]`,
    )
})

test('a body has a size limit, also when compressed', async () => {
  const large = JSON.stringify('x'.repeat(200_000))
  await refused(413, /too large/, large)
  await refused(413, /too large/, gzipSync(large), { ...json, 'content-encoding': 'gzip' })
  const packed = await post(gzipSync('{"a":1}'), { ...json, 'content-encoding': 'gzip' })
  assert.equal(packed.body, { got: { a: 1 } })
  await refused(415, /encoding/, '{}', { ...json, 'content-encoding': 'zstd' })
})

test('the first problem is named, and all are listed', async () => {
  const reply = await server.send('/optional', {
    method: 'POST',
    headers: json,
    body: '{"title":"too long","x":1}',
  })

  assert.is(reply.status, 400)
  const { error, details } = reply.body as {
    error: { message: string }
    details: { issues: { path: string }[] }
  }

  assert.match(error.message, /"title" in the body: /)
  assert.is(details.issues.length, 2)
  assert.is(details.issues[0]?.path, 'title')
})

test.run()
