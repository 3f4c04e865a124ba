import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { openSession } from '../../src/actions/sso/sessions.ts'
import { sqlRows } from '../../src/store/store.ts'
import { type Running, startStemma } from '../cli/stemma.ts'
import { type Actor, actor } from '../support/app.ts'
import { withShiftedClock } from '../support/clock/shifted-clock.ts'
import { send } from '../support/http/send.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

const minute = 60_000

/** A node whose clock is an hour wrong, and its administrator. */
type Wrong = { hours: number; url: string; admin: Actor; server: Running }

let nodes: Nodes
const wrong: Wrong[] = []
const folder = mkdtempSync(join(tmpdir(), 'stemma-clocks-'))

async function startWrong(hours: number): Promise<Wrong> {
  const server = startStemma(['serve'], {
    ...nodes.env,
    ...withShiftedClock(hours),
    STEMMA_DATA: mkdtempSync(join(folder, 'node-')),
    PORT: '0',
    STEMMA_LOG: 'silent',
    NODE_ENV: 'test',
  })
  const [url] = await server.says(/http:\/\/127\.0\.0\.1:\d+/)
  const { id, token } = nodes.a.admin
  return { hours, url, server, admin: actor(url, id, token) }
}

const test = postgresSuite(
  'a node whose clock is an hour ahead or behind',
  async () => {
    nodes = await startNodes()
    for (const hours of [1, -1]) wrong.push(await startWrong(hours))
  },
  async () => {
    for (const { server } of wrong) {
      server.kill('SIGTERM')
      await server.ended
    }
    await nodes?.stop()
    rmSync(folder, { recursive: true, force: true })
  },
)

/** Returns a time some minutes after that of the database. */
const timeAfter = (minutes: number): string => new Date(Date.now() + minutes * minute).toISOString()

/** Makes a token of the administrator that ends, or has ended, some minutes from now. */
function makeToken(minutes: number) {
  const { store, now } = nodes.a.ctx
  const { row, secret } = createToken(
    store,
    { userId: nodes.a.admin.id, name: 'clock', expiresAt: timeAfter(120) },
    now(),
  )
  store.run(sqlRows(sql`update token set expires_at = ${timeAfter(minutes)} where id = ${row.id}`))
  return { row: { ...row, expires_at: timeAfter(minutes) }, secret }
}

const get = (url: string, headers: Record<string, string> = {}) =>
  send(url, { method: 'GET', headers, body: undefined })

/** Each node, right or wrong. */
const everywhere = (): { url: string }[] => [nodes.a, nodes.b, ...wrong]

test('says that it is not ready', async () => {
  for (const { hours, url } of wrong) {
    const { status, text } = await get(`${url}/readyz`)
    assert.is(status, 503)
    const { clockAheadSeconds } = JSON.parse(text).database
    assert.is(Math.round(clockAheadSeconds / 60), -60 * hours)
  }
  assert.is((await get(`${nodes.b.url}/readyz`)).status, 200)
})

for (const [minutes, status] of [
  [30, 200],
  [-30, 401],
] as const)
  test(`a token ends when the database says so: ${minutes} minutes from now`, async () => {
    const { secret } = makeToken(minutes)
    for (const { url } of everywhere())
      assert.is((await actor(url, '', secret).get('/v1/user')).status, status, url)
  })

for (const [minutes, status] of [
  [30, 200],
  [-30, 303],
] as const)
  test(`a session ends when the database says so: ${minutes} minutes from now`, async () => {
    const { ctx } = nodes.a
    const { row } = makeToken(30)
    const browser = { userAgent: undefined, address: '' }
    const { row: session, secret } = ctx.store.transact(() => openSession(ctx, row, browser, null))
    ctx.store.run(
      sqlRows(sql`update session set expires_at = ${timeAfter(minutes)} where id = ${session.id}`),
    )
    for (const { url } of everywhere()) {
      const headers = { cookie: `stemma-session=${secret}` }
      assert.is((await get(`${url}/app/account`, headers)).status, status, url)
    }
  })

test('gives what it writes the time of the database', async () => {
  const { body: space } = await nodes.a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  for (const { admin } of wrong) {
    const { body } = await admin.post(`/v1/spaces/${space.id}/comments`, {
      body: { markdown: 'Now' },
    })
    const late = Date.now() - Date.parse(body.createdAt ?? body.postedAt)
    assert.ok(Math.abs(late) < 10 * minute, `${late} ms`)
  }
})

test('leaves jobs to the nodes that run them', async () => {
  const { store } = nodes.a.ctx
  const inAnHour = sql`(extract(epoch from now()) * 1000)::bigint + 1800000`
  const inHalf = sql`(extract(epoch from now()) * 1000)::bigint + 50000`
  for (const [id, state, owner, leased] of [
    ['later', 'waiting', null, null],
    ['held', 'running', 'another', inHalf],
  ] as const)
    store.run(
      sqlRows(sql`
        insert into job (id, kind, lane, payload, run_at, state, owner, leased_until, created_at)
        values (${id}, 'tidy', ${id}, '{}', ${inAnHour}, ${state}, ${owner}, ${leased}, ${timeAfter(0)})`),
    )
  // Each node looks for jobs after a write that makes one.
  for (const { admin } of wrong) {
    const made = await admin.post('/v1/orgs/acme/spaces', { title: 'Other' })
    assert.is(made.status, 201)
  }
  const left = store.all(
    sqlRows<{ id: string; owner: string | null }>(
      sql`select id, owner from job where id in ('later', 'held') order by id`,
    ),
  )
  assert.equal(left, [
    { id: 'held', owner: 'another' },
    { id: 'later', owner: null },
  ])
})

test.run()
