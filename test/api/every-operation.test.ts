import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { api } from '../../src/api/routes.ts'
import { type Actor, type App, startApp } from '../support/app.ts'
import { isInShare } from '../support/long-run.ts'

/** Operations that reveal nothing about a user. */
const open = new Set([
  'GET /',
  'GET /orgs/:organizationId/.well-known/jwks.json',
  'GET /orgs/:organizationId/sso',
  'POST /sso/token',
  'GET /urls/published',
  'POST /urls/published',
])
/**
 * Operations about the caller: a stranger has a profile, tokens and no organizations, and can read
 * public ones.
 */
const own = /^\/(?:user|templates$|integrations$|orgs$|email-domains\/|$)/

let app: App
let stranger: Actor
test.before(async () => {
  app = await startApp()
  stranger = app.user('Sam')
})
test.after(() => app.stop())

const operations = Object.keys(api)
  .filter((_, at) => isInShare(at))
  .map(key => {
    const [method = '', path = ''] = key.split(' ')
    return { key, method, path }
  })

const fill = (path: string, value: string) =>
  `/v1${path.replace(/[:*](\w+)/g, (_, name: string) => (name === 'revisionId' && value === 'none' ? '0'.repeat(40) : value))}`

const ask = (actor: Actor, method: string, path: string) =>
  actor.request(method, path, method === 'GET' || method === 'DELETE' ? undefined : {})

/** Operations that create what their path names; the organization is in the body. */
const makes = new Set(['POST /integrations/:integrationName'])

test('every operation refuses anonymous callers', async () => {
  for (const { key, method, path } of operations) {
    if (open.has(key)) continue
    const reply = await ask(app.anonymous, method, fill(path, 'none'))
    assert.is(reply.status, 401, key)
    assert.is(reply.headers.get('www-authenticate'), 'Bearer', key)
  }
})

test('unknown ids are 404 for strangers and admins alike', async () => {
  for (const { key, method, path } of operations) {
    if (open.has(key) || own.test(path) || makes.has(key)) continue
    for (const actor of [stranger, app.admin]) {
      const { status, text } = await ask(actor, method, fill(path, 'none'))
      // Deletes are repeatable.
      assert.ok(
        status === 404 || (method === 'DELETE' && status === 204),
        `${key} answered ${status} ${text}`,
      )
    }
  }
})

test('unexpected names are refused and break nothing', async () => {
  const hostile = [
    '%00',
    '..%2f..%2fetc',
    'a'.repeat(3000),
    "'%20or%201=1--",
    '%F0%9F%93%98',
    '%E0%A4%A',
    '-h',
    'HEAD',
    '__proto__',
  ]
  for (const { key, method, path } of operations.filter(({ path }) => /[:*]/.test(path))) {
    for (const value of hostile) {
      const { status, text } = await ask(app.admin, method, fill(path, value))
      // Anything that is not an organization has no identity providers.
      const isEmpty = status === 200 && path.endsWith('/sso') && text === '{"items":[]}'
      const fine =
        isEmpty || status === 400 || status === 404 || (method === 'DELETE' && status === 204)
      assert.ok(fine, `${key} with ${value.slice(0, 20)} answered ${status} ${text}`)
    }
  }
})

test('every read ignores unknown query parameters, and names them', async () => {
  for (const { key, method, path } of operations.filter(
    ({ path }) => own.test(path) && !path.includes(':'),
  )) {
    if (method !== 'GET') continue
    const { status, headers } = await app.admin.get(`/v1${path}?surprise=1`)
    const isWhole = status === 200 || status === 400
    assert.ok(isWhole && (status === 400 || headers.get('stemma-ignored') === 'surprise'), key)
  }
})

test.run()
