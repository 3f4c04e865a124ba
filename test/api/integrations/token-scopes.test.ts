import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type IntegrationScope,
  installationMay,
  integrationScopes,
  scopesFor,
} from '../../../src/access/integration-scopes.ts'
import { insertOrganization } from '../../../src/store/people/organizations.ts'
import { ask, namesIn, type Operation, operations } from '../../guards/asking.ts'
import { join } from '../../guards/callers.ts'
import { makeWorld, must, type World } from '../../guards/world.ts'
import { changedBetween, readWritten } from '../../guards/written.ts'
import { actor, startApp } from '../../support/app.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { isInShare } from '../../support/long-run.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
insertOrganization(app.ctx.store, {
  id: 'rival',
  title: 'Rival',
  created_at: '2026-01-01T00:00:00.000Z',
})
// The installer is an admin everywhere: only the installation limits its tokens.
join(app, 'rival', app.admin.id, 'admin')
const here = await makeWorld(app, app.admin, 'acme')
const beside = await makeWorld(app, app.admin, 'acme')
const there = await makeWorld(app, app.admin, 'rival')
const [siteId, otherSiteId] = await Promise.all(
  [here, beside].map(async ({ ids }) => {
    const { id } = await must(app.admin, 'POST', '/orgs/acme/sites', { spaces: [ids.spaceId] })
    return id as string
  }),
)
Object.assign(here.ids, { siteId })

let made = 0

/**
 * Installs a new integration with these scopes, and returns its API path and the holder of a token.
 */
async function holding(scopes: readonly IntegrationScope[], patch: object = {}) {
  const path = `/integrations/scoped-${++made}`
  await must(app.admin, 'POST', path, {
    organization: 'acme',
    title: 'Scoped',
    description: 'Has some scopes.',
    script: '',
    scopes,
  })
  const { id } = await must(app.admin, 'POST', `${path}/installations`, { organization: 'acme' })
  const at = `${path}/installations/${id}`

  await must(app.admin, 'PATCH', at, patch)

  return { at, by: actor(app.url, '', (await must(app.admin, 'POST', `${at}/tokens`)).token) }
}

const askFor = (by: ReturnType<typeof actor>, operation: Operation, { ids }: World = here) => {
  const known = Object.fromEntries(namesIn(operation).map(name => [name, ids[name] ?? 'nothing']))
  return ask(by, operation, here, { ids: known, ...(operation.method !== 'GET' && { body: {} }) })
}

/**
 * Asserts that the operations are refused, and that none of them writes. After a write they are
 * called again: jobs write as well.
 */
async function assertRefused(
  by: ReturnType<typeof actor>,
  which: readonly Operation[],
  again = false,
): Promise<void> {
  const before = await readWritten(app, here.ids.spaceId as string)
  for (const operation of which) {
    const { status, text } = await askFor(by, operation)
    assert.is(status, 403, `${operation.key}: ${status} ${text.slice(0, 200)}`)
  }
  const wrote = changedBetween(before, await readWritten(app, here.ids.spaceId as string))
  if (wrote.length > 0 && !again) return assertRefused(by, which, true)
  assert.equal(wrote, [])
}

// A run of a sample has every operation with every fourth scope.
for (const [index, scope] of integrationScopes.entries())
  test(`a token with the scope "${scope}" may call its operations and no others`, async () => {
    const { by } = await holding([scope])
    const may = ({ endpoint }: Operation) => installationMay([scope], endpoint.operationId)
    await assertRefused(
      by,
      operations.filter((each, at) => !may(each) && isInShare(at + index)),
    )

    for (const operation of operations.filter(each => may(each) && each.method === 'GET')) {
      const { status, text } = await askFor(by, operation)
      assert.is.not(status, 403, `${operation.key}: ${text.slice(0, 200)}`)
    }
  })

test('no scope admits to rights, tokens, members or the settings of an organization', () => {
  const rights = operations.filter(({ path }) =>
    /\/(?:permissions|tokens|members|teams|invites|webhooks|audit-events|share-links|transfer|publish|unpublish|regenerate)(?:\/|$)|^\/users?/.test(
      path,
    ),
  )
  assert.ok(rights.length > 50)
  for (const { endpoint, key } of rights) assert.equal(scopesFor(endpoint.operationId), [], key)
})

test('every operation that a scope names exists', () => {
  const names = new Set(operations.map(({ endpoint }) => endpoint.operationId))
  const admitted = operations.filter(({ endpoint }) => scopesFor(endpoint.operationId).length > 0)
  assert.ok(admitted.length > 60)
  assert.ok(admitted.every(({ endpoint }) => names.has(endpoint.operationId)))
})

test('a token with all scopes reaches the organization of its installation alone', async () => {
  const { by } = await holding(integrationScopes)
  for (const operation of operations.filter(
    ({ method, path }) => method === 'GET' && /:(?:spaceId|organizationId)/.test(path),
  )) {
    const { status, text } = await askFor(by, operation, there)
    assert.ok(status === 403 || status === 404, `${operation.key}: ${status} ${text.slice(0, 200)}`)
  }
})

test('selected spaces and sites are the only ones that a token reaches', async () => {
  const { at, by } = await holding(integrationScopes, {
    space_selection: 'selected',
    site_selection: 'selected',
    selectedSpaces: [here.ids.spaceId],
  })

  assert.is((await app.admin.get(`/v1${at}`)).body.spaces, 1)
  const spaces = (await by.get('/v1/orgs/acme/spaces')).body.items
  assert.equal(
    spaces.map((each: { id: string }) => each.id),
    [here.ids.spaceId],
  )
  assert.is((await by.get(`/v1/spaces/${here.ids.spaceId}/content`)).status, 200)
  for (const operation of operations.filter(({ path }) => path.includes(':spaceId')))
    assert.ok([403, 404].includes((await askFor(by, operation, beside)).status), operation.key)
  assert.equal((await by.get('/v1/orgs/acme/sites')).body.items, [])
  assert.is((await by.get(`/v1/orgs/acme/sites/${siteId}`)).status, 404)
  await must(app.admin, 'POST', `${at}/sites`, { siteId })
  assert.is((await by.get(`/v1/orgs/acme/sites/${siteId}`)).status, 200)
  assert.is((await by.get(`/v1/orgs/acme/sites/${otherSiteId}`)).status, 404)
  assert.equal((await by.get('/v1/orgs/acme/sites')).body.count, 1)
  await must(app.admin, 'PATCH', at, { selectedSpaces: [] })
  assert.is((await by.get(`/v1/spaces/${here.ids.spaceId}/content`)).status, 404)
})

test('a space of another organization cannot be selected', async () => {
  const { at } = await holding([])
  const before = (await app.admin.get(`/v1${at}`)).body
  assert.is(
    (await app.admin.patch(`/v1${at}`, { selectedSpaces: [there.ids.spaceId] })).status,
    404,
  )
  assert.equal((await app.admin.get(`/v1${at}`)).body, before)
})

test('metadata of a space excludes what decides about rights', async () => {
  const { by } = await holding(['space:metadata:write'])
  const path = `/v1/spaces/${here.ids.spaceId}`
  assert.is((await by.patch(path, { title: 'Renamed' })).status, 200)

  for (const body of [
    { defaultLevel: 'admin' },
    { mergeRules: { type: 'none' } },
    { editMode: 'locked' },
  ])
    assert.is((await by.patch(path, body)).status, 403, JSON.stringify(body))
})

test('requests of an installation do not count against the limit of the user who installed it', async () => {
  const few = await startApp({ STEMMA_MAX_REQUESTS_PER_MINUTE: '20' })
  try {
    const path = '/v1/integrations/busy'
    await few.admin.post(path, {
      organization: 'acme',
      title: 'Busy',
      description: '',
      scopes: [],
      script: '',
    })
    const { id } = (await few.admin.post(`${path}/installations`, { organization: 'acme' })).body
    const { token } = (await few.admin.post(`${path}/installations/${id}/tokens`)).body
    const by = actor(few.url, '', token)
    const statuses: number[] = []

    await withStoppedClock(async () => {
      for (let at = 0; at < 25; at++) statuses.push((await by.get('/v1/integrations/busy')).status)
    })
    assert.is(statuses.at(-1), 429)
    assert.is((await few.admin.get('/v1/user')).status, 200)
  } finally {
    await few.stop()
  }
})

test('a token of an installation sees its own installation alone', async () => {
  const [one, other] = [await holding([]), await holding([])]
  assert.is((await one.by.get(`/v1${one.at}`)).status, 200)
  assert.is((await one.by.get(`/v1${other.at}`)).status, 404)
})

test.run()
