import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import {
  findChangeRequest,
  updateChangeRequest,
} from '../../../src/store/discussions/change-requests.ts'
import { type Actor, type App, type Reply, startApp } from '../../support/app.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'

let app: App
let editor: Actor
test.before(async () => {
  app = await startApp({
    STEMMA_MAX_REPOSITORY_MB: '3',
    STEMMA_MAX_ORGANIZATION_MB: '8',
    STEMMA_MAX_SPACES_PER_DAY: '5',
    STEMMA_MAX_TOKENS: '4',
    STEMMA_MAX_REQUESTS_PER_MINUTE: '300',
    STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '5',
  })
  editor = app.user('Ed', 'create')
})
test.after(() => app.stop())

const metric = async (name: string, reason: string): Promise<number> => {
  const { text } = await app.anonymous.get('/metrics')
  return Number(new RegExp(`^${name}\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** Puts incompressible files of 1 MB into a space. */
const upload = (space: string, count: number): Promise<Reply> => {
  const files = Array.from({ length: count }, () => ({
    name: `${randomBytes(6).toString('hex')}.bin`,
    contentType: 'application/octet-stream',
    base64: randomBytes(1_000_000).toString('base64'),
  }))
  return editor.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_files', files }],
  })
}

const newSpace = async (): Promise<string> => {
  const { status, body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Full' })
  assert.is(status, 201, JSON.stringify(body))
  return body.id
}

test('a space at its limit refuses edits and change requests, and stays readable', async () => {
  const space = await newSpace()
  assert.is((await upload(space, 2)).status, 200)
  assert.is((await upload(space, 2)).status, 200)
  const refused = await upload(space, 1)

  assert.is(refused.status, 413)
  assert.match(refused.body.error.message, /limit of 3 MB/)
  assert.is(
    (await editor.post(`/v1/spaces/${space}/change-requests`, { subject: 'x' })).status,
    413,
  )
  assert.is((await editor.get(`/v1/spaces/${space}/content/pages`)).status, 200)
  assert.is(await metric('stemma_refused_total', 'space_bytes'), 2)
})

test('content pushed to the repository counts once it is noticed', async () => {
  const space = await newSpace()
  assert.is((await upload(space, 1)).status, 200)
  const folder = join(app.dataDir, 'spaces')
  assert.ok(spaceFolder(app.ctx.config.dataDir, space).startsWith(folder))
  const pack = join(spaceFolder(app.ctx.config.dataDir, space), 'objects/pack/tmp_pack_pushed')

  writeFileSync(pack, randomBytes(3e6))
  app.ctx.processes.sizes.clear()
  assert.is((await upload(space, 1)).status, 413)
  writeFileSync(pack, '')
  assert.is((await upload(space, 1)).status, 200)
})

test('an organization has a limit over all its spaces', async () => {
  const [one, two] = [await newSpace(), await newSpace()]
  for (const space of [one, two]) assert.is((await upload(space, 2)).status, 200)
  app.ctx.processes.sizes.clear()
  await upload(one, 1)
  await upload(two, 1)
  const { checkOrganizationRoom } = await import('../../../src/actions/repositories/check-quota.ts')

  // Requests are counted by the same clock: the other users must not have some in the future.
  const creator = app.user('Di', 'create')
  const later = performance.now

  performance.now = () => later.call(performance) + 60_000

  try {
    assert.throws(() => checkOrganizationRoom(app.ctx, 'acme'), /total limit of 8 MB/)
    const refused = await creator.post('/v1/orgs/acme/spaces', { title: 'More' })
    assert.is(refused.status, 413)
  } finally {
    performance.now = later
  }
})

test('a user can create a limited number of spaces a day, including copies', async () => {
  const other = await startApp({ STEMMA_MAX_SPACES_PER_DAY: '3' })
  try {
    const made = await other.admin.post('/v1/orgs/acme/spaces', { title: 'One' })
    assert.is((await other.admin.post(`/v1/spaces/${made.body.id}/duplicate`)).status, 201)
    const both = await Promise.all([
      other.admin.post('/v1/orgs/acme/spaces', { title: 'Two' }),
      other.admin.post(`/v1/spaces/${made.body.id}/duplicate`),
    ])

    assert.equal(both.map(reply => reply.status).sort(), [201, 429])
    const refused = await other.admin.post('/v1/orgs/acme/spaces', { title: 'Three' })

    assert.is(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 86_000)
    const creator = other.user('Cy', 'create')

    assert.is((await creator.post('/v1/orgs/acme/spaces', { title: 'Mine' })).status, 201)
  } finally {
    await other.stop()
  }
})

test('a user can open a limited number of change requests a day, in all spaces together', async () => {
  const other = await startApp({ STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '3' })
  try {
    const ed = other.user('Ed', 'edit')
    const ids: string[] = []
    for (const title of ['One', 'Two'])
      ids.push((await other.admin.post('/v1/orgs/acme/spaces', { title })).body.id)
    const [one = '', two = ''] = ids
    const open = (space: string, by = ed, more = {}) =>
      by.post(`/v1/spaces/${space}/change-requests`, { subject: 'x', ...more })

    assert.is((await open(one)).status, 201)
    assert.is((await open(two)).status, 201)
    const both = await Promise.all([open(one), open(two)])

    assert.equal(both.map(reply => reply.status).sort(), [201, 429])
    assert.is(
      (await ed.patch(`/v1/spaces/${two}/change-requests/1`, { status: 'archived' })).status,
      200,
    )
    const changes = [{ operation: 'insert_page', title: 'P', document: { markdown: 'P' } }]
    const refused = await open(one, ed, { changes })

    assert.is(refused.status, 429)
    assert.match(
      refused.body.error.message,
      /^You have reached the limit of 3 new change requests within 24 hours\. Change an existing one, or try again after \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    )
    assert.ok(Number(refused.headers.get('retry-after')) > 86_000)
    assert.is((await open(one, other.admin)).status, 201)
    const row = findChangeRequest(other.ctx.store, one, '1')
    const yesterday = other.ctx.now().getTime() - 86_400_000

    updateChangeRequest(other.ctx.store, row?.id ?? '', {
      created_at: new Date(yesterday).toISOString(),
    })
    assert.is((await open(two)).status, 201)
    assert.is((await open(two)).status, 429)
  } finally {
    await other.stop()
  }
})

test('a user can have a limited number of tokens, without revoked ones', async () => {
  const holder = app.user('Tom', 'read')
  const made: Reply[] = []
  for (let i = 0; i < 3; i++) made.push(await holder.post('/v1/user/tokens', { name: `t${i}` }))
  assert.equal(
    made.map(reply => reply.status),
    [201, 201, 201],
  )
  const refused = await holder.post('/v1/user/tokens', { name: 'more' })

  assert.is(refused.status, 429)
  assert.match(refused.body.error.message, /4 tokens/)
  assert.ok(refused.headers.get('retry-after'))
  await holder.delete(`/v1/user/tokens/${made[0]?.body.id}`)
  assert.is((await holder.post('/v1/user/tokens', { name: 'again' })).status, 201)
})

test('requests of a user are limited per minute, also from the cache; other users are unaffected', async () => {
  const busy = app.user('Bea', 'create')
  const statuses: number[] = []
  const { body } = await app.admin.get('/v1/orgs/acme/spaces')
  const page = `/v1/spaces/${body.items[0].id}/content/pages`

  await withStoppedClock(async () => {
    while (statuses.length < 400 && statuses.at(-1) !== 429) {
      const { status, headers } = await busy.get(page)
      statuses.push(status)
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1)
    }
  })

  assert.equal(new Set(statuses), new Set([200, 429]))
  assert.is(statuses.indexOf(429), 300)
  assert.is((await editor.get(page)).status, 200)
  assert.ok((await metric('stemma_refused_total', 'requests')) > 0)
})

test('unusable tokens are throttled per address, valid ones are not', async () => {
  const wrong = () => app.anonymous.get('/v1/user', { authorization: 'Bearer stm_wrong' })
  // Metrics count all servers of a process, so other test files may have counted before.
  const failures = (await metric('stemma_auth_failures_total', 'unknown')) || 0
  const refusals = (await metric('stemma_refused_total', 'authentication')) || 0
  const statuses: number[] = []

  await withStoppedClock(async () => {
    for (let i = 0; i < 7; i++) statuses.push((await wrong()).status)
    assert.equal(statuses, [401, 401, 401, 401, 401, 429, 429])
    assert.ok(Number((await wrong()).headers.get('retry-after')) >= 1)
  })
  assert.is((await editor.get('/v1/user')).status, 200)
  assert.is(
    (await app.anonymous.get('/v1/user')).status,
    401,
    'a request without a token is no guess',
  )
  assert.is((await metric('stemma_auth_failures_total', 'unknown')) - failures, 5)
  assert.is((await metric('stemma_refused_total', 'authentication')) - refusals, 3)
})

test.run()
