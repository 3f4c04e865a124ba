import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'

const secret = 'a-secret-of-some-length'

let app: App
test.before(async () => {
  app = await startApp({ STEMMA_METRICS_TOKEN: secret })
})
test.after(() => app.stop())

const elsewhere = { 'x-forwarded-for': '203.0.113.7' }

test('a local client reads the metrics in Prometheus format', async () => {
  await app.admin.get('/v1/user')
  const reply = await app.anonymous.get('/metrics')
  assert.is(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(reply.text, /^stemma_http_requests_total\{method="GET",status="200"\} \d+$/m)
  assert.match(reply.text, /^# TYPE stemma_http_request_seconds histogram$/m)
  assert.match(reply.text, /^stemma_computations\{caller="stranger",state="waiting"\} 0$/m)
  assert.match(reply.text, /^process_resident_memory_bytes \d+$/m)
})

test('remote clients need the token', async () => {
  assert.is((await app.anonymous.get('/metrics', elsewhere)).status, 403)
  assert.is((await app.anonymous.get('/metrics', { forwarded: 'for=203.0.113.7' })).status, 403)
  assert.is((await app.admin.get('/metrics', elsewhere)).status, 403)
  const wrong = { ...elsewhere, authorization: 'Bearer another-secret-of-length' }
  assert.is((await app.anonymous.get('/metrics', wrong)).status, 403)
  const right = { ...elsewhere, authorization: `Bearer ${secret}` }
  assert.is((await app.anonymous.get('/metrics', right)).status, 200)
})

test.run()
