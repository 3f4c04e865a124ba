import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type NeededScope, type Scope, scopeFamilies } from '../../../src/access/scopes.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import type { Route } from '../../../src/workbench/frame/page.ts'
import { startApp } from '../../support/app.ts'
import { makeCallers } from '../callers.ts'
import type { Call } from '../calls/call.ts'
import { type Calling, cellsOf, columnsOf, differences, tryAll } from '../outcomes.ts'
import { readTable, writeLine } from '../table.ts'
import { makeReader, makeWorld } from '../world.ts'
import { changedBetween, readWritten } from '../written.ts'
import { calls } from './calls.ts'
import { addressOf, nameOf, reads, routeOf, routes, scopesOf } from './routes.ts'
import { makeVisitors, signedIn, statusOf, type Visitor } from './visitors.ts'

const table = readTable('pages/pages.txt', 'method page scopes').map(({ name, cells }) => {
  const [method = '', path = '', scopes = ''] = name.split(' ')
  const call = `${method} ${path}`
  return { name, call, target: call.split('@', 1)[0] as string, scopes, cells }
})
const listed = new Set(table.map(({ call }) => call))

const app = await startApp({
  STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0',
  STEMMA_MAX_SPACES_PER_DAY: '0',
})
test.after(() => app.stop())
const members = makeCallers(app)
const world = await makeWorld(app, app.admin, 'acme')
const callers = { ...members, reader: await makeReader(world) }
const visitors = await makeVisitors(app, callers)

const nothingMore: Call = { make: () => ({}) }

const calling: Calling<Route> = {
  app,
  world,
  callers,
  reads,
  nameOf,
  ask: async ({ column, actor }, route, sent) => {
    const { browser, csrf } = visitors[column]
    const address = addressOf(route, world, sent)
    // Only the API takes tokens: what a reader has is worth nothing here.
    const headers: Record<string, string> =
      column === 'reader' ? { authorization: `Bearer ${actor.token}` } : {}
    const fields = { csrf, ...(sent.body ?? {}) }
    const parts = [...Object.entries(fields), ...(sent.files ?? [])]
    const post = () =>
      sent.files
        ? browser.postParts(address, parts, headers)
        : browser.post(address, fields, headers)
    const reply = await (route.method === 'GET' ? browser.get(address, headers) : post())
    const { text } = reply
    return { status: statusOf(reply), text: /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? text }
  },
}

const widest = 92

for (const [at, { name, call, target, cells }] of table.entries()) {
  test(name, async () => {
    const route = routeOf(target)
    if (!route)
      throw new Error(`There is no "${target}": take its line out of test/guards/pages/pages.txt.`)
    const asked = columnsOf(at, cells)
    const outcomes = await tryAll(calling, route, calls[call] ?? nothingMore, asked)
    const wrong = asked.flatMap(column => differences(column, cells[column], outcomes[column]))
    const found = writeLine(name, cellsOf(outcomes, cells), widest)
    if (wrong.length > 0) throw new Error(`${wrong.join('\n')}\n  found:\n${found}`)
  })
}

for (const route of routes.filter(each => !listed.has(nameOf(each)))) {
  const name = nameOf(route)
  test(`${name} has a line`, async () => {
    const outcomes = await tryAll(calling, route, calls[name] ?? nothingMore)
    const found = writeLine(`${name} ${scopesOf(route)}`, cellsOf(outcomes), widest)
    throw new Error(
      `"${name}" has no line in test/guards/pages/pages.txt. Write how it is called into calls.ts beside it, and add a line there. What is found now, to be checked by a person, cell by cell:\n${found}`,
    )
  })
}

test('every described call is in the table', () => {
  for (const name of Object.keys(calls))
    assert.ok(listed.has(name), `"${name}" in calls.ts has no line in test/guards/pages/pages.txt`)
})

test('every page and form needs the scopes that its line names', () => {
  for (const { name, target, scopes } of table) {
    const route = routeOf(target)
    if (route) assert.is(scopesOf(route), scopes, name)
  }
})

const held = new Map<string, Promise<Visitor>>()

/** The admin with a session whose token has exactly these scopes. */
function holding(scopes: readonly Scope[]): Promise<Visitor> {
  const key = scopes.join()
  const known = held.get(key)
  if (known) return known
  const token = { userId: app.admin.id, name: key, scopes }
  const made = signedIn(app.url, createToken(app.ctx.store, token, app.ctx.now()).secret)
  held.set(key, made)
  return made
}

/** Every scope but the one that is needed: what is below it, and all that others need. */
const allBut = (needed: NeededScope): Scope[] => {
  const [family, level] = needed.split(':')
  const below = { write: ['read'], admin: ['read', 'write'] }[level as string] ?? []
  return [
    ...scopeFamilies.filter(each => each !== family).map(each => `${each}:admin` as const),
    ...below.map(each => `${family}:${each}` as Scope),
  ]
}

test('a session whose token lacks one of the scopes does nothing', async () => {
  const limited = routes.flatMap(route => route.scopes.map(scope => ({ route, scope })))
  for (const { scope } of limited) await holding(allBut(scope))
  const before = await readWritten(app, world.ids.spaceId as string)

  for (const { route, scope } of limited) {
    const { browser, csrf } = await holding(allBut(scope))
    const nothing = 'nothing'
    const ids = {
      ...{ commentId: nothing, inviteId: nothing, kind: 'pages', itemId: nothing },
      ...{ siteSpaceId: nothing, siteRedirectId: nothing, siteExternalLinkId: nothing },
    }
    const address = addressOf(route, world, { ids })
    const { status, text } =
      route.method === 'GET' ? await browser.get(address) : await browser.post(address, { csrf })
    assert.is(status, 403, `${nameOf(route)} without ${scope}`)
    assert.match(text, `the scope &quot;${scope}&quot;`, nameOf(route))
  }

  assert.equal(changedBetween(before, await readWritten(app, world.ids.spaceId as string)), [])
})

test('a session whose token has the scopes opens every page', async () => {
  for (const { call, target, cells } of table) {
    const route = routeOf(target)
    if (route?.method !== 'GET' || cells.owner !== 'ok') continue
    const { browser } = await holding(route.scopes.length === 0 ? ['user:read'] : route.scopes)
    const sent = await (calls[call] ?? nothingMore).make(world, {
      column: 'owner',
      actor: app.admin,
    })
    const reply = await browser.get(addressOf(route, world, sent))
    assert.ok(statusOf(reply) < 300, `${call}: ${reply.text.slice(-500)}`)
  }
})

test.run()
