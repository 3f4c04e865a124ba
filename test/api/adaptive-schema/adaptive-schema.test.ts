import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const { id: space } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Guides' })).body
const { id: site } = (await app.admin.post('/v1/orgs/acme/sites', { spaces: [space] })).body
const at = `/v1/orgs/acme/sites/${site}/adaptive-schema`

const flag = (description: string) => ({ type: 'boolean', description })

test('a site has no schema at first, and no template conditions', async () => {
  assert.is((await reader.get(at)).status, 404)
  assert.equal((await reader.get(`${at}/template-conditions`)).body, { items: [] })
})

test('a schema is returned as it was sent, with its keys in order', async () => {
  const text =
    '{"additionalProperties":false,"properties":{"z":{"description":"Z","type":"boolean"},"a":{"enum":["x","y"],"type":"string","description":"A"}},"type":"object"}'
  const set = await creator.put(at, `{"jsonSchema":${text}}` as unknown as object)
  assert.is(set.status, 200, set.text)
  assert.ok(set.text.includes(text))
  assert.ok((await reader.get(at)).text.includes(text))
  assert.equal((await reader.get(`${at}/template-conditions`)).body.items, [
    { description: 'Z', condition: 'visitor.claims.z === true' },
    { description: 'A: x', condition: 'visitor.claims.a === "x"' },
    { description: 'A: y', condition: 'visitor.claims.a === "y"' },
  ])
})

test('a schema of another form is refused with the path of the problem', async () => {
  const properties = { plan: { type: 'string', description: 'Plan', pattern: 'x' } }
  const refused = await creator.put(at, {
    jsonSchema: { type: 'object', properties, additionalProperties: false },
  })
  assert.is(refused.status, 400)
  assert.equal(refused.body.details.path, 'properties.plan.pattern')
})

test('readers of the site read the schema and do not set it', async () => {
  const jsonSchema = { type: 'object', properties: { a: flag('A') }, additionalProperties: false }
  assert.is((await reader.put(at, { jsonSchema })).status, 403)
})

test('a change is recorded in the audit log', async () => {
  const { items } = (await app.admin.get('/v1/orgs/acme/audit-events?action=site.schema_updated'))
    .body
  assert.is(items[0].target.id, site)
})

test.run()
