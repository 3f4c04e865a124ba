import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'
import { until } from '../support/until.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

const text = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { responses: { 200: { description: 'Pets' } } } } },
})

test('OpenAPI specs and their versions', async () => {
  const { orgs } = admin.client
  const made = (await orgs.createOpenApiSpec('acme', { slug: 'pets', source: { text } })).data
  assert.is(made.processingState as string, 'pending')
  await until('the spec is read', async () => {
    const { processingState, lastVersion } = (await orgs.getOpenApiSpecBySlug('acme', 'pets')).data
    return (processingState as string) === 'complete' && lastVersion ? lastVersion : undefined
  })
  const listed = (await orgs.listOpenApiSpecs('acme', { limit: 10 })).data

  assert.is(listed.items[0]?.id, made.id)
  const versions = (await orgs.listOpenApiSpecVersions('acme', 'pets', { limit: 10 })).data
  const [version] = versions.items

  assert.ok(version)
  assert.equal((await orgs.getLatestOpenApiSpecVersion('acme', 'pets')).data, version)
  assert.equal((await orgs.getOpenApiSpecVersionById('acme', 'pets', version.id)).data, version)
  const content = (await orgs.getLatestOpenApiSpecVersionContent('acme', 'pets')).data

  assert.equal(content.filesystem, { 'openapi.json': text })
  assert.equal(
    (await orgs.getOpenApiSpecVersionContentById('acme', 'pets', version.id)).data,
    content,
  )
  const opened = (
    await orgs.updateOpenApiSpecBySlug('acme', 'pets', { visibility: 'public' as never })
  ).data

  assert.ok(opened.urls.published)
  const put = await orgs.createOrUpdateOpenApiSpecBySlug('acme', 'pets', { source: { text } })

  assert.is(put.status, 200)
  assert.is(
    (await orgs.createOrUpdateOpenApiSpecBySlug('acme', 'other', { source: { text } })).status,
    201,
  )
  await orgs.deleteOpenApiSpecBySlug('acme', 'pets')
  assert.equal(notDriven(/\/openapi/, admin.done), [])
})

test.run()
