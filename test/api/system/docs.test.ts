import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { api } from '../../../src/api/routes.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App
test.before(async () => {
  app = await startApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org/stemma/' })
})
test.after(() => app.stop())

test('the document needs no token and names the public URL', async () => {
  const reply = await app.anonymous.get('/v1/openapi.json')
  assert.is(reply.status, 200)
  assert.is(reply.body.openapi, '3.1.0')
  assert.is(reply.headers.get('access-control-allow-origin'), '*')
  assert.equal(reply.body.servers, [{ url: 'https://docs.example.org/stemma' }])
  const operations = Object.values(reply.body.paths).flatMap(item => Object.keys(item as object))

  assert.is(operations.length, Object.keys(api).length)
  const tagOf = (path: string, method = 'get') => reply.body.paths[`/v1${path}`][method].tags

  assert.equal(tagOf('/orgs/{organizationId}/openapi/{specSlug}', 'put'), ['openapi'])
  assert.equal(tagOf('/spaces/{spaceId}/change-requests/{changeRequestId}/links'), ['links'])
  assert.equal(tagOf('/spaces/{spaceId}/content/template', 'post'), ['templates'])
  assert.equal(tagOf('/spaces/{spaceId}/change-requests/{changeRequestId}/content'), [
    'change-requests',
  ])
})

test('the bare address redirects to the page where it is not the public URL', async () => {
  const reply = await fetch(`${app.url}/`, { redirect: 'manual' })
  assert.is(reply.status, 302)
  assert.is(reply.headers.get('location'), './docs')
})

test.run()
