import { request } from 'node:http'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { endpoint, routes } from '../../src/http/endpoint.ts'
import { type Mounted, serveTable } from '../support/http/mounted.ts'

const take = endpoint({
  operationId: 'take',
  summary: 'Take a body',
  params: z.object({}),
  body: z.unknown(),
  bodyLimit: 100_000,
  reply: z.unknown(),
  access: () => ({}),
  handle: () => ({}),
})

let server: Mounted
test.before(async () => {
  server = await serveTable(routes({ 'POST /take': take }))
})
test.after(() => server.stop())

test('a body with an oversized length is refused before it is read', async () => {
  const asked = request(`${server.url}/take`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100_000_000 },
  })

  asked.on('error', () => {})
  const status = new Promise<number | undefined>((resolve, reject) => {
    asked.once('response', response => resolve(response.statusCode))
    asked.setTimeout(30_000, () =>
      reject(new Error('There is no answer while the body does not come.')),
    )
  })

  asked.write('{')
  assert.is(await status, 413)
  asked.destroy()
})

test.run()
