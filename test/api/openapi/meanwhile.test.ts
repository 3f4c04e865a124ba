import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { specsRepository } from '../../../src/actions/repositories/specs-repository.ts'
import { listRefs } from '../../../src/git/refs/refs.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type App, startApp } from '../../support/app.ts'
import { type Host, openHost, petstore, processed } from './host.ts'

const list = '/v1/orgs/acme/openapi'

let app: App
let host: Host
test.before(async () => {
  app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
  host = await openHost()
})
test.after(async () => {
  await host.stop()
  await app.stop()
})

/** A file that is sent when it is released, and a promise that resolves when it is requested. */
function heldFile(path: string, text: string): { asked: Promise<void>; letGo: () => void } {
  let letGo = () => {}
  const asked = new Promise<void>(resolve => {
    host.files.set(path, response => {
      letGo = () => response.end(text)
      resolve()
    })
  })
  return { asked, letGo: () => letGo() }
}

const count = (table: string): number =>
  app.ctx.store.get(
    sqlRows<{ count: number }>(sql`select count(*) as count from ${sql.table(table)}`),
  )!.count

async function nothingRuns(): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    const jobs = app.ctx.store.all(
      sqlRows<{ id: string }>(sql`select id from job where kind = 'process-openapi'`),
    )
    if (jobs.length === 0) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error('A spec is still being read.')
}

test('a spec that is deleted while it is being read leaves nothing', async () => {
  const { asked, letGo } = heldFile('/slow.json', petstore('Slow'))
  const made = await app.admin.put(`${list}/slow`, { source: { url: `${host.origin}/slow.json` } })
  assert.is(made.status, 201, made.text)
  await asked
  assert.is((await app.admin.delete(`${list}/slow`)).status, 204)
  const again = await app.admin.put(`${list}/slow`, { source: { text: petstore('Another') } })

  assert.is(again.status, 201, again.text)
  letGo()
  const spec = await processed(app, `${list}/slow`)

  await nothingRuns()
  assert.is.not(spec.id, made.body.id)
  const repo = specsRepository(app.ctx, 'acme')

  assert.ok(existsSync(repo.dir))
  assert.equal([...(await listRefs(repo, 'refs/heads/')).keys()], [`refs/heads/slow.${spec.id}`])
  assert.equal(
    [count('openapi_version'), count('openapi_outline'), count('openapi_source')],
    [1, 1, 0],
  )
})

test('concurrent sources are all read', async () => {
  const texts = Array.from({ length: 3 }, (_, n) => petstore(`Turn ${n}`))
  const replies = []
  for (const text of texts) replies.push(app.admin.put(`${list}/busy`, { source: { text } }))
  const statuses = (await Promise.all(replies)).map(reply => reply.status)
  assert.equal(statuses.filter(status => status === 201).length, 1)
  assert.ok(statuses.every(status => status === 200 || status === 201))
  await processed(app, `${list}/busy`)
  assert.is((await app.admin.get(`${list}/busy/versions`)).body.items.length, 3)
})

test('a private spec is not served without a token, even after a request while it was public', async () => {
  await app.admin.put(`${list}/shown`, { source: { text: petstore('Shown') } })
  await processed(app, `${list}/shown`)
  const raw = `${list}/shown/versions/latest/content/raw`
  assert.is((await app.anonymous.get(raw)).status, 401)
  assert.is((await app.anonymous.get(`${list}/never/versions/latest/content/raw`)).status, 401)
  await app.admin.request('PATCH', `${list}/shown`, { visibility: 'public' })
  const shown = await app.anonymous.get(raw)

  assert.is(shown.status, 200)
  assert.is((await app.anonymous.get(`${list}/shown/versions/latest/content`)).status, 401)
  await app.admin.request('PATCH', `${list}/shown`, { visibility: 'private' })
  const etag = shown.headers.get('etag') ?? ''

  assert.is((await app.anonymous.get(raw, { 'if-none-match': etag })).status, 401)
  assert.is((await app.user('Stranger').get(raw)).status, 404)
})

test.run()
