import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { readConfig } from '../../../src/config.ts'
import { start } from '../../../src/server.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { Store, sqlRows } from '../../../src/store/store.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())

type Use = { last_used_at: string | null }

/** Returns the last uses of a user's tokens as written. */
const written = (store: Store, userId: string) =>
  store
    .all(sqlRows<Use>(sql`select last_used_at from token where user_id = ${userId} order by seq`))
    .map(row => row.last_used_at)

test('the use of a token is listed at once and written later, in one statement for all tokens', async () => {
  const [ben, eve] = [app.user('Ben', 'read'), app.user('Eve')]
  const { store, tokenUses } = app.ctx
  for (const user of [ben, eve]) assert.is((await user.get('/v1/user')).status, 200)
  assert.equal([...written(store, 'ben'), ...written(store, 'eve')], [null, null])
  const { body } = await ben.get('/v1/user/tokens')
  const used = body.items[0].lastUsedAt

  assert.ok(Date.now() - Date.parse(used) < 60_000)
  const reaching = (await app.admin.get('/v1/orgs/acme/tokens')).body.items

  assert.is(
    reaching.find((token: { user: { id: string } }) => token.user.id === 'ben').lastUsedAt,
    used,
  )
  const changes = () => store.get(sqlRows<{ n: number }>(sql`select total_changes() as n`))?.n ?? 0

  tokenUses.write()
  assert.equal(written(store, 'ben'), [used])
  assert.ok(written(store, 'eve')[0])
  const before = changes()

  tokenUses.write()
  assert.is(changes(), before)
})

test('the use of a token tells when members were last seen, in the organizations that it reaches', async () => {
  const { store, tokenUses } = app.ctx
  const lou = app.user('Lou', 'read')
  const at = '2026-01-01T00:00:00.000Z'

  for (const [index, id] of ['globex', 'initech'].entries()) {
    insertOrganization(store, { id, title: id, created_at: at })
    putMember(store, id, 'lou', 'read', at)
    if (index === 0) putMember(store, id, 'ada', 'admin', at)
  }

  const seen = async () => {
    tokenUses.write()
    return ['acme', 'globex', 'initech'].map(
      id =>
        store.get(
          sqlRows<{ seen: string | null }>(
            sql`select last_seen_at as seen from member
                where organization_id = ${id} and user_id = 'lou'`,
          ),
        )?.seen !== null,
    )
  }

  assert.equal(await seen(), [false, false, false])
  const limited = createToken(
    store,
    { userId: 'lou', name: 'one', organizationId: 'globex' },
    new Date(),
  )
  const { body } = await actor(app.url, 'lou', limited.secret).get('/v1/orgs/globex')

  assert.is(body.id, 'globex')
  assert.equal(await seen(), [false, true, false])
  const listed = await app.admin.get('/v1/orgs/globex/members?sort=lastSeenAt')

  assert.ok(listed.body.items.some((member: { id: string }) => member.id === 'lou'))
  await lou.get('/v1/user')
  assert.equal(await seen(), [true, true, true])
})

test('an earlier use never replaces a later one', () => {
  app.user('Max')
  const { store, tokenUses } = app.ctx
  const { id } = store.get(
    sqlRows<{ id: string }>(sql`select id from token where user_id = 'max'`),
  ) ?? {
    id: '',
  }
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'] as const

  tokenUses.note(id, Date.parse(late))
  tokenUses.write()
  tokenUses.note(id, Date.parse(early))
  assert.is(tokenUses.latest({ id, last_used_at: late }).last_used_at, late)
  tokenUses.write()
  assert.equal(written(store, 'max'), [late])
})

test('uses that cannot be written are written later', () => {
  app.user('Zoe')
  const { store, tokenUses } = app.ctx
  const { id } = store.get(
    sqlRows<{ id: string }>(sql`select id from token where user_id = 'zoe'`),
  ) ?? {
    id: '',
  }

  tokenUses.note(id, 0)
  store.run(sqlRows(sql`pragma query_only = on`))

  try {
    assert.throws(() => tokenUses.write(), /readonly/)
  } finally {
    store.run(sqlRows(sql`pragma query_only = off`))
  }

  tokenUses.write()
  assert.equal(written(store, 'zoe'), ['1970-01-01T00:00:00.000Z'])
})

test('a server that stops writes the uses of tokens', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const config = readConfig({ STEMMA_DATA: dataDir, PORT: '0', NODE_ENV: 'test' })
  const server = await start(config, pino({ level: 'fatal', base: null }))
  const user = {
    id: 'ada',
    display_name: 'Ada',
    email: null,
    created_at: '2026-01-01T00:00:00.000Z',
  }

  insertUser(server.ctx.store, user)
  const { secret } = createToken(server.ctx.store, { userId: 'ada', name: 'test' }, new Date())

  assert.is((await actor(server.url, 'ada', secret).get('/v1/user')).status, 200)
  await server.stop()
  const store = new Store(join(dataDir, 'stemma.db'))

  assert.ok(written(store, 'ada')[0])
  store.close()
  await rm(dataDir, { recursive: true })
})

test.run()
