import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  covers,
  firstBeyond,
  type NeededScope,
  type Scope,
  type ScopeFamily,
  scopeFamilies,
  scopeLevels,
  scopeNeeded,
  scopes,
} from '../../src/access/scopes.ts'
import { createToken } from '../../src/actions/people/create-token.ts'
import { type Actor, actor, startApp } from '../support/app.ts'
import { ask, namesIn, type Operation, operations } from './asking.ts'
import { makeWorld } from './world.ts'
import { changedBetween, readWritten } from './written.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())
const world = await makeWorld(app, app.admin, 'acme')
const spaceId = world.ids.spaceId as string

const tokens = new Map<string, Actor>()

/** The admin with a token that has exactly these scopes. */
function holding(...held: Scope[]): Actor {
  const known = tokens.get(held.join())
  if (known) return known
  const { secret } = createToken(
    app.ctx.store,
    { userId: app.admin.id, name: held.join(), scopes: held },
    app.ctx.now(),
  )
  const made = actor(app.url, app.admin.id, secret)

  tokens.set(held.join(), made)

  return made
}

const table = new Map(
  readFileSync('test/guards/scopes.txt', 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split(/\s+/) as [operationId: string, scope: string]),
)

/**
 * Calls an operation with the ids of the world and made-up ones for the rest: the scope is checked
 * first.
 */
const askFor = (by: Actor, operation: Operation) => {
  const ids = Object.fromEntries(
    namesIn(operation).map(name => [name, world.ids[name] ?? 'nothing']),
  )
  return ask(by, operation, world, { ids, ...(operation.method !== 'GET' && { body: {} }) })
}

/** Operations with POST that only read. */
const readsByPost: ReadonlySet<string> = new Set([
  'POST /urls/published',
  'POST /orgs/:organizationId/sites/:siteId/search',
  'POST /orgs/:organizationId/sites/:siteId/insights/events/aggregate',
])

const writes = operations.filter(({ key, method }) => method !== 'GET' && !readsByPost.has(key))

const scopeOf = ({ key }: Operation) => scopeNeeded(key)
const limited = operations.filter(each => scopeOf(each) !== undefined)

/**
 * Asserts that every one of the operations is refused for its scope, and that nothing is written.
 */
async function assertRefused(
  which: readonly Operation[],
  by: (needed: NeededScope) => Actor,
): Promise<void> {
  // Create the tokens before the first snapshot of the rows.
  for (const operation of which) by(scopeOf(operation) as NeededScope)
  const before = await readWritten(app, spaceId)
  for (const operation of which) {
    const needed = scopeOf(operation) as NeededScope
    const reply = await askFor(by(needed), operation)
    assert.is(reply.status, 403, `${operation.key}: ${reply.status} ${reply.text.slice(0, 200)}`)
    assert.match(reply.body.error.message, `"${needed}"`, operation.key)
  }

  assert.equal(changedBetween(before, await readWritten(app, spaceId)), [])
}

test('every operation has a line with its scope', () => {
  for (const operation of operations) {
    const { operationId } = operation.endpoint
    assert.is(
      scopeOf(operation) ?? 'none',
      table.get(operationId),
      `${operationId} in test/guards/scopes.txt`,
    )
  }
  assert.is(table.size, operations.length)
})

test('operations without a rule need a token with full scope', () => {
  assert.is(scopeNeeded('GET /new-things'), 'admin')
  assert.not(
    covers(
      scopeFamilies.map(family => `${family}:admin`),
      'admin',
    ),
  )
})

test('no token below full scope obtains a token of an integration', () => {
  const ways = [
    'installIntegration',
    'createIntegrationInstallationToken',
    'createIntegrationSecret',
  ]
  for (const id of ways) {
    const operation = operations.find(({ endpoint }) => endpoint.operationId === id) as Operation
    assert.is(scopeOf(operation), 'admin', id)
  }
})

test('no write is allowed with the scope "read"', () => {
  for (const operation of writes)
    assert.not.match(scopeOf(operation) ?? 'none', /^none$|:read$/, operation.key)
})

test('a token with the scope "read" writes nothing anywhere', async () => {
  const reader = holding('read')
  await assertRefused(writes, () => reader)
})

test('a token with the scope "write" cannot do anything that needs "admin"', async () => {
  const writer = holding('write')
  await assertRefused(
    limited.filter(each => scopeOf(each)?.endsWith('admin')),
    () => writer,
  )
})

test('a token is refused for everything outside its scopes', async () => {
  await assertRefused(limited, needed => {
    const [family, level] = needed.split(':') as [ScopeFamily, (typeof scopeLevels)[number]]
    const weaker = scopeLevels[scopeLevels.indexOf(level) - 1]
    const others = scopeFamilies
      .filter(each => each !== family)
      .map(each => `${each}:admin` as const)
    return holding(...others, ...(weaker ? ([`${family}:${weaker}`] as const) : []))
  })
})

test('a token with only the scope of a read gets the same answers as a full one', async () => {
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const needed = scopeOf(operation) ?? 'user:read'
    const [narrow, full] = [
      await askFor(holding(needed), operation),
      await askFor(app.admin, operation),
    ]
    assert.is(narrow.status, full.status, `${operation.key}: ${narrow.text.slice(0, 200)}`)
  }
})

test('a scope includes the weaker ones of its family, and no others', () => {
  for (const needed of scopes.filter(scope => scope.includes(':')) as NeededScope[]) {
    const [family, level] = needed.split(':') as [ScopeFamily, (typeof scopeLevels)[number]]
    for (const held of scopes) {
      const [of, own] = held.includes(':') ? held.split(':') : [family, held]
      const enough = scopeLevels.indexOf(own as typeof level) >= scopeLevels.indexOf(level)
      assert.is(covers([held], needed), of === family && enough, `${held} for ${needed}`)
    }
  }
})

test('firstBeyond reports scopes exactly where they admit to more', () => {
  const lets = (held: readonly Scope[]) =>
    new Set(
      scopes
        .filter(scope => scope.includes(':'))
        .filter(scope => covers(held, scope as NeededScope)),
    )
  for (const wanted of scopes)
    for (const held of scopes) {
      const more = [...lets([wanted])].some(scope => !lets([held]).has(scope))
      assert.is(firstBeyond([wanted], [held]) !== undefined, more, `${wanted} with ${held}`)
    }
})

test.run()
