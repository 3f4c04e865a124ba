import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loggedPath } from '../../src/http/logged-path.ts'

const key = 'aB3dE6gH9jK2mN5pQ8sT'

test('the query is cut', () => {
  assert.is(loggedPath(`/v1/orgs/acme/sites/${key}?shareKey=${key}`), `/v1/orgs/acme/sites/${key}`)
})

test('keys of share links in addresses of sites are replaced', () => {
  const shown = [
    `/sites/acme/docs/${key}/guide`,
    `/${key}`,
    `/docs//${key}//`,
    `/join/${key}`,
    `/%61${key.slice(1)}/`,
    `/%2561${key.slice(1)}/x`,
  ].map(loggedPath)
  assert.equal(shown, [
    '/sites/acme/docs/[redacted]/guide',
    '/[redacted]',
    '/docs//[redacted]//',
    '/join/[redacted]',
    '/[redacted]/',
    '/[redacted]/x',
  ])
})

test('ids in paths of the API stay, secrets of invite links do not', () => {
  assert.is(loggedPath(`/v1/spaces/${key}`), `/v1/spaces/${key}`)
  assert.is(loggedPath(`/files/${key}/x.png`), `/files/${key}/x.png`)
  assert.is(loggedPath('/v1/orgs/acme/invites/secret/x'), '/v1/orgs/acme/invites/[redacted]/x')
})

test('a long path is cut after keys are replaced', () => {
  assert.is(loggedPath(`/${'x'.repeat(488)}/${key}/`), `/${'x'.repeat(488)}/[redacted]`)
})

test.run()
