import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeApp } from '../../../src/app.ts'
import { type App, type Reply, startApp } from '../../support/app.ts'

let app: App
test.before(async () => {
  app = await startApp({ STEMMA_AUDIT_READS: 'true' })
})
test.after(() => app.stop())

const events = async (action: string): Promise<Reply['body'][]> =>
  (await app.admin.get(`/v1/orgs/acme/audit-events?action=${action}`)).body.items

test('reads of a space are recorded once an hour per reader, including cached answers', async () => {
  const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Read' })
  const reader = app.user('Rea', 'create')
  for (let i = 0; i < 4; i++) await reader.get(`/v1/spaces/${space.id}/content/pages`)
  await app.admin.get(`/v1/spaces/${space.id}/content/pages`)
  await reader.get(`/v1/spaces/${space.id}`)
  await reader.get(`/v1/spaces/nowhere/content/pages`)
  const found = await events('space.read')

  assert.equal(found.map(event => event.actor.user.id).sort(), ['ada', 'rea'])

  for (const event of found) {
    assert.is(event.target.id, space.id)
    assert.ok(event.token)
    assert.is(event.address, '127.0.0.1')
  }
})

test('the request log has address, user id and token id, and never the token', async () => {
  const lines: string[] = []
  const log = pino(
    { level: 'info' },
    new Writable({
      write: (line, _, done) => {
        lines.push(String(line))
        done()
      },
    }),
  )
  const server = createServer(makeApp({ ...app.ctx, log }))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (authorization?: string) =>
    fetch(`${url}/v1/user?secret=1`, { headers: authorization ? { authorization } : {} }).then(
      reply => reply.text(),
    )

  await ask(`Bearer ${app.admin.token}`)
  await ask('Bearer stm_wrong-secret')
  await ask()
  while (lines.filter(line => line.includes('"msg":"request"')).length < 3)
    await new Promise(resolve => setTimeout(resolve, 10))
  server.closeAllConnections()
  server.close()
  const logged = lines.map(line => JSON.parse(line))
  const requests = logged.filter(({ msg }) => msg === 'request')

  assert.equal(
    requests.map(({ status, address, userId }) => [status, address, userId]),
    [
      [200, '127.0.0.1', 'ada'],
      [401, '127.0.0.1', undefined],
      [401, '127.0.0.1', undefined],
    ],
  )
  assert.ok(requests[0].tokenId)
  const failures = logged.filter(({ msg }) => msg === 'authentication failed')

  assert.equal(
    failures.map(({ level, address, reason }) => [level, address, reason]),
    [[40, '127.0.0.1', 'unknown']],
  )
  assert.not.match(lines.join(''), /stm_|secret/)
})

test.run()
