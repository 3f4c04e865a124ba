import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { readConfig } from '../../src/config.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { start } from '../../src/server.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { sqlRows } from '../../src/store/store.ts'
import { actor, startApp } from '../support/app.ts'
import { openClient, remoteOf } from '../support/git/client.ts'
import { gitOutside } from '../support/git/repo.ts'
import { ask, operationOf } from './asking.ts'
import { addressOf, forms } from './pages/routes.ts'
import { signedIn } from './pages/visitors.ts'
import { at } from './rows.ts'
import { readTable } from './table.ts'
import { listTables } from './watch-tables.ts'
import { type Ids, makeWorld } from './world.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const world = await makeWorld(app, app.admin, 'acme')
const spaceId = world.ids.spaceId as string
const visitor = await signedIn(app.url, app.admin.token)

/** Returns a digest of all rows that cannot be derived, and of the refs of the space. */
function digest(): string {
  const all = <Row>(text: string) => app.ctx.store.all(sqlRows<Row>(sql.raw(text)))
  const rows = listTables(app.ctx.store).map(name => all(`select * from "${name}"`))
  const refs = gitOutside(spaceRepository(app.ctx, spaceId).dir, ['for-each-ref'])
  return sha256(JSON.stringify([rows, refs]))
}

const before = digest()

// As a start in read-only mode does.
Object.assign(app.ctx, { config: { ...app.ctx.config, readOnly: true } })
app.ctx.store.refuseWrites()

const unchanged = () => assert.is(digest(), before)

/** Returns the ids of the world, and "x" for what a write makes first. */
const idsFor = (path: string): Ids => ({
  ...Object.fromEntries([...path.matchAll(/[:*](\w+)/g)].map(([, name]) => [name, 'x'])),
  ...world.ids,
})

test('every operation that writes answers that the server is read-only, and writes nothing', async () => {
  const refused: string[] = []
  for (const { operationId } of readTable()) {
    const operation = operationOf(operationId)
    if (!operation || operation.method === 'GET') continue
    const { status, body, headers } = await ask(app.admin, operation, world, {
      ids: idsFor(operation.path),
    })
    if (status !== 503) {
      // A search reads; anything else is refused for what it asks, before it could write.
      assert.ok([200, 400, 403, 404].includes(status), `${operationId} answered ${status}`)
      if (status === 200) assert.match(operationId, /search|ask/i)
      continue
    }
    refused.push(operationId)
    assert.match(body.error.message, 'read-only at the moment')
    assert.is(headers.get('retry-after'), '60')
  }
  assert.ok(refused.length > 100, refused.join())
  unchanged()
})

test('every form of the workbench says it, and every page shows it', async () => {
  const { browser, csrf } = visitor
  const asked = forms.filter(({ scopes }) => scopes.length > 0)
  for (const route of asked) {
    const address = addressOf(route, world, { ids: idsFor(route.path) })
    const { status, text } = await browser.post(address, { csrf })
    assert.ok([404, 503].includes(status), `${address} answered ${status}`)
    if (status === 503) assert.match(text, 'read-only at the moment')
  }
  const { status, text } = await browser.get('/app')
  assert.is(status, 200)
  assert.match(text, 'nothing can be saved')
  unchanged()
})

test('reads go on', async () => {
  for (const path of [
    '/user',
    `/spaces/${spaceId}`,
    `/spaces/${spaceId}/content/pages`,
    `/spaces/${spaceId}/revisions`,
    `/spaces/${spaceId}/search?query=page`,
  ])
    assert.is((await app.admin.get(`/v1${path}`)).status, 200, path)
  unchanged()
})

test('a clone works, and a push is refused with the reason', async () => {
  const client = await openClient()
  await client.ok(['clone', '-q', remoteOf(app.url, spaceId, app.admin.token), 'copy'])
  const inCopy = { in: 'copy' }
  await client.ok(['commit', '-q', '--allow-empty', '-m', 'More'], inCopy)
  const { code, stderr } = await client.git(['push', 'origin', 'HEAD'], inCopy)
  assert.is.not(code, 0)
  assert.match(stderr, 'read-only at the moment')
  unchanged()
  await client.remove()
})

test('a server that starts in read-only mode says so, and later starts for writes again', async () => {
  const data = join(app.dataDir, 'other')
  const open = (readOnly: boolean) =>
    start(
      readConfig({
        STEMMA_DATA: data,
        PORT: '0',
        STEMMA_LOG: 'silent',
        STEMMA_READ_ONLY: String(readOnly),
      }),
    )
  const first = await open(false)
  const { store, now } = first.ctx
  insertUser(store, { id: 'ada', display_name: 'Ada', email: 'ada@example.org', created_at: at })
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  putMember(store, 'acme', 'ada', 'admin', at)
  const { secret } = createToken(store, { userId: 'ada', name: 'test' }, now())
  await first.stop()

  for (const [readOnly, status] of [
    [true, 503],
    [false, 201],
  ] as const) {
    const server = await open(readOnly)
    const ada = actor(server.url, 'ada', secret)
    assert.is((await ada.get('/readyz')).body.readOnly, readOnly)
    assert.is((await ada.get('/v1/user')).status, 200)
    assert.is((await ada.post('/v1/orgs/acme/spaces', { title: 'New' })).status, status)
    await server.stop()
  }
})

test.run()
