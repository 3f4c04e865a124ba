import { brotliDecompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const origin = 'https://app.example.org'
const app = await startApp({
  STEMMA_CORS_ORIGINS: `${origin}, http://localhost:5173`,
  STEMMA_MAX_REQUESTS_PER_MINUTE: '600',
})
const closed = await startApp()
test.after(async () => {
  await app.stop()
  await closed.stop()
})

const { admin } = app
const space = (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id as string
const content = `/v1/spaces/${space}/content/pages`

const preflight = (base: string, path: string, from: string) =>
  fetch(base + path, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, content-type',
    },
  })

const allowedOrigin = ({ headers }: { headers: Headers }) =>
  headers.get('access-control-allow-origin')

test('pages of the configured origins may call the API, others may not', async () => {
  for (const from of [origin, 'http://localhost:5173']) {
    const asked = await preflight(app.url, `/v1/spaces/${space}`, from)
    assert.equal([asked.status, allowedOrigin(asked)], [204, from])
    assert.is(asked.headers.get('access-control-allow-methods'), 'GET, PATCH, DELETE')
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization/)
  }

  for (const [base, from] of [
    [app.url, 'https://evil.example.org'],
    [app.url, 'null'],
    [app.url, `${origin}.evil.example`],
    [closed.url, origin],
  ] as const) {
    const asked = await preflight(base, `/v1/spaces/${space}`, from)
    assert.equal([asked.status, allowedOrigin(asked)], [204, null], from)
    assert.is(asked.headers.get('access-control-allow-methods'), null)
  }
})

test('answers, kept ones and refusals too, carry the headers of their origin', async () => {
  // The second answer is a kept one for a caller without an origin.
  for (const from of [undefined, undefined, origin, 'http://localhost:5173', 'https://x.example']) {
    const reply = await admin.get(content, from === undefined ? {} : { origin: from })
    const isAllowed = from !== undefined && !from.includes('x.example')

    assert.equal([reply.status, allowedOrigin(reply)], [200, isAllowed ? from : null], from)
    if (isAllowed) assert.match(reply.headers.get('vary') ?? '', /Origin/)
  }

  for (const [path, status] of [
    ['/v1/spaces/nothing', 404],
    ['/v1/nothing', 404],
    [`/v1/spaces/${space}?shareKey=${'x'.repeat(300)}`, 400],
  ] as const) {
    const refused = await admin.get(path, { origin })
    assert.equal([refused.status, allowedOrigin(refused)], [status, origin], path)
  }

  const unknown = await app.anonymous.get('/v1/user', { origin })
  assert.equal([unknown.status, allowedOrigin(unknown)], [401, origin])
  assert.match(unknown.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/)
})

test('a path without the method says which it has', async () => {
  const wrong = await admin.request('PUT', `/v1/spaces/${space}`, {})
  assert.equal(
    [wrong.status, wrong.headers.get('allow')],
    [405, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  )
  assert.match(
    wrong.body.error.message,
    /no operation PUT on this path. It has GET, HEAD, PATCH, DELETE\./,
  )
  const options = await admin.request('OPTIONS', `/v1/spaces/${space}`)

  assert.equal([options.status, options.headers.get('allow')], [204, wrong.headers.get('allow')])
  assert.is((await admin.request('PUT', '/v1/nothing', {})).status, 404)
  assert.is((await admin.request('OPTIONS', '/v1/nothing')).status, 404)
})

test('answers tell a caller how many requests are left, kept ones too', async () => {
  const left: number[] = []
  for (const _ of [1, 2, 3, 4]) {
    const { headers } = await admin.get(content)
    assert.is(headers.get('ratelimit-limit'), '600')
    assert.ok(Number(headers.get('ratelimit-reset')) <= 60)
    left.push(Number(headers.get('ratelimit-remaining')))
  }

  assert.ok(left.every(each => each > 0 && each < 600))
  assert.is((await app.anonymous.get('/v1/user')).headers.get('ratelimit-limit'), null)
})

test('a large list is sent in the encoding that its client takes', async () => {
  for (let n = 0; n < 40; n++) await admin.post('/v1/orgs/acme/spaces', { title: `Space ${n}` })
  const path = '/v1/orgs/acme/spaces'
  const plain = await fetch(app.url + path, {
    headers: { authorization: `Bearer ${admin.token}`, 'accept-encoding': 'identity' },
  })
  const text = await plain.text()

  assert.is(plain.headers.get('content-encoding'), null)
  assert.match(plain.headers.get('vary') ?? '', /Accept-Encoding/)
  const { request } = await import('node:http')
  const packed = await new Promise<{ encoding: string | undefined; bytes: Buffer }>(
    (resolve, reject) => {
      const headers = { authorization: `Bearer ${admin.token}`, 'accept-encoding': 'gzip, br' }
      request(app.url + path, { headers }, async res => {
        const chunks: Buffer[] = []
        for await (const chunk of res) chunks.push(chunk as Buffer)
        resolve({ encoding: res.headers['content-encoding'], bytes: Buffer.concat(chunks) })
      })
        .on('error', reject)
        .end()
    },
  )

  assert.is(packed.encoding, 'br')
  assert.is(brotliDecompressSync(packed.bytes).toString(), text)
  assert.ok(packed.bytes.length * 5 < text.length)
})

test.run()
