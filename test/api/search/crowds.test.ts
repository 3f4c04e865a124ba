import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { processed } from '../openapi/host.ts'

let app: App
test.before(async () => {
  app = await startApp()
  holdSearch(app.ctx)
})
test.after(() => app.stop())

const index = (spaceId: string) =>
  jobs['index-search']!(app.ctx, { spaceId }, { signal: new AbortController().signal, attempt: 1 })
const count = async (words: string, api: string): Promise<number> => {
  const path = `${api}/search?limit=1000&query=${encodeURIComponent(words)}`
  const { status, body, text } = await app.admin.get(path)
  assert.is(status, 200, text)
  return body.count
}
const pages = (many: number, text: string) =>
  Object.fromEntries(
    Array.from({ length: many }, (_, n) => [`p${n}.md`, `# Page ${n}\n\n${text}\n`]),
  )

test('text of a change request is found among hundreds of former versions', async () => {
  const { space, repo, api } = await makeSpace(app, {
    'README.md': '# Home\n',
    ...pages(650, 'a word'),
  })

  await index(space.id)
  const path = `${api}/change-requests`
  const { body: request } = await app.admin.post(path, { subject: 'All' })

  await commitFiles(repo, pages(650, 'another word'), {
    ref: `refs/heads/change-requests/${request.number}`,
  })
  const inRequest = `${path}/${request.number}`

  assert.ok((await count('another', inRequest)) >= 300)
  assert.ok((await count('word', inRequest)) >= 300)
  assert.ok((await count('page', inRequest)) >= 300)

  // Text that is indexed after the pages of a change request is found as well.
  await commitFiles(repo, pages(650, 'the third word'))
  await index(space.id)
  assert.ok((await count('word', api)) >= 300)
  assert.ok((await count('page', api)) >= 300)
})

test('proposals do not hide published pages in a search of the organization', async () => {
  const { space, repo, api } = await makeSpace(app, { 'README.md': '# Home\n\nNothing.\n' })
  await index(space.id)
  const path = `${api}/change-requests`
  const { body: request } = await app.admin.post(path, { subject: 'More' })

  await commitFiles(repo, pages(20, 'about the ocelot'), {
    ref: `refs/heads/change-requests/${request.number}`,
  })
  assert.is(await count('ocelot', `${path}/${request.number}`), 20)
  await commitFiles(repo, { 'README.md': '# Home\n\nThe ocelot.\n' })
  await index(space.id)
  const { body } = await app.admin.get('/v1/orgs/acme/search?query=ocelot')

  assert.equal(
    body.items.map((item: { id: string }) => item.id),
    [space.id],
  )

  assert.equal(
    body.items[0].pages.map((page: { title: string }) => page.title),
    ['Home'],
  )
})

test('words far apart on a long page are found together', async () => {
  const filling = 'Some filling that says nothing much. '.repeat(1_000)
  const long = `# Manual\n\nAn armadillo.\n\n${filling}\n\nA zebra.\n\n${filling}\n\nA walrus.\n`
  const { space, api } = await makeSpace(app, { 'README.md': '# Home\n', 'manual.md': long })
  await index(space.id)
  assert.is(await count('armadillo walrus', api), 1)
  assert.is(await count('walrus zebra armad', api), 1)
  assert.is(await count('gnu', api), 0)
  const { body } = await app.admin.get('/v1/orgs/acme/search?query=armadillo%20walrus')

  assert.is(body.items.length, 1)
})

test('where no page has all words, pages have some, and the missing words are named', async () => {
  const { space, api } = await makeSpace(app, {
    'README.md': '# Home\n',
    'log.md': `# Changes\n\n${'Configure a quagga and more. '.repeat(500)}\n`,
    'quagga.md': '# Quaggas\n\nHow to configure them.\n',
  })
  await index(space.id)
  const { body } = await app.admin.get(`${api}/search?query=configuring%20a%20quagga%20unicornish`)
  assert.equal(body.without, ['unicornish'])
  assert.equal(
    body.items.map(({ path }: { path: string }) => path),
    ['quagga', 'log'],
  )
  const whole = await app.admin.get(`${api}/search?query=configure%20quagga`)
  assert.is(whole.body.without, undefined)
})

test('a transferred space does not carry words of specs along', async () => {
  const get = {
    summary: 'List every quokka',
    tags: ['animals'],
    responses: { 200: { description: 'Fine' } },
  }

  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Zoo', version: '1' },
    paths: { '/animals': { get } },
  })

  await app.admin.put('/v1/orgs/acme/openapi/zoo', { source: { text } })
  await processed(app, '/v1/orgs/acme/openapi/zoo')
  const { space } = await makeSpace(app, {
    'README.md': '# Start\n\nAbout a quokka.\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Start](README.md)\n* ```yaml\n  type: builtin:openapi\n  props: {models: false}\n  dependencies: {spec: {ref: {kind: openapi, spec: zoo}}}\n  ```\n',
  })

  await index(space.id)
  const found = async (organization: string): Promise<string[]> => {
    const { body } = await app.admin.get(`/v1/orgs/${organization}/search?query=quokka`)
    return body.items.flatMap((item: { pages: { title: string }[] }) =>
      item.pages.map(page => page.title),
    )
  }

  assert.is((await found('acme')).length, 2)
  const { store } = app.ctx
  const at = new Date().toISOString()

  insertOrganization(store, { id: 'beta', title: 'Beta', created_at: at })
  putMember(store, 'beta', app.admin.id, 'admin', at)
  const moved = await app.admin.post(`/v1/spaces/${space.id}/transfer`, { organization: 'beta' })

  assert.is(moved.status, 200, moved.text)
  assert.equal(await found('beta'), ['Start'])
  await index(space.id)
  assert.equal(await found('beta'), ['Start'])
  assert.equal(await found('acme'), [])
})

test.run()
