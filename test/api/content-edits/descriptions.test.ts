import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { openSyncBench } from '../../support/git/remote.ts'
import { petstore, processed } from '../openapi/host.ts'

const bench = await openSyncBench()
const { app } = bench
test.after(() => bench.stop())

const block = (spec: string) => `{% openapi-operation spec="${spec}" path="/pets" method="get" %}\n`

test('a guest cannot reveal a hidden description by naming it', async () => {
  const { api } = await makeSpace(app, {
    'README.md': '# Home\n',
    'api.md': `# API\n\n${block('shown')}`,
  })

  for (const slug of ['shown', 'secret']) {
    await app.admin.put(`/v1/orgs/acme/openapi/${slug}`, { source: { text: petstore(slug) } })
    await processed(app, `/v1/orgs/acme/openapi/${slug}`)
  }

  const guest = app.user('Gus', null)
  await app.admin.post(`${api}/permissions`, { role: 'edit', users: [guest.id] })
  const request = (await guest.post(`${api}/change-requests`, { subject: 'One' })).body.id
  const content = `${api}/change-requests/${request}/content`
  const page = (await guest.get(`${content}/path/api`)).body.id
  const write = (by: typeof guest, markdown: string) =>
    by.post(content, { changes: [{ operation: 'update_page', page, document: { markdown } }] })
  const evaluated = async () =>
    (await guest.get(`${content}/page/${page}?evaluated=true`)).body.markdown

  assert.match(await evaluated(), /List pets/)

  assert.is((await write(guest, `# API\n\nWords\n\n${block('shown')}`)).status, 200)
  const refused = await write(guest, `# API\n\n${block('secret')}`)

  assert.is(refused.status, 403, refused.text)
  assert.match(refused.body.error.message, /"secret"/)
  assert.is((await write(guest, '# API\n\nWithout\n')).status, 200)

  const inParts = [
    '{% openapi-operation {% if true %}spec="secret"{% endif %} path="/pets" method="get" %}',
    '{% openapi-operation spec="se{% if true %}{% endif %}cret" path="/pets" method="get" %}',
    `{<code class="expression">""</code>${block('secret').slice(1)}`,
  ]

  for (const tag of inParts) {
    await write(guest, `# API\n\n${tag}\n`)
    assert.not.match(await evaluated(), /List pets/, tag)
  }

  const template = {
    id: 'api-reference',
    params: { contentRefs: { spec: { kind: 'openapi', spec: 'secret' } } },
  }

  const applied = await guest.post(`${api}/content/template`, {
    ...template,
    changeRequestId: request,
  })

  assert.is(applied.status, 403, applied.text)
  const begun = await guest.post(`${api}/change-requests`, { subject: 'Two', template })

  assert.is(begun.status, 403, begun.text)

  assert.is((await write(app.admin, `# API\n\n${block('secret')}`)).status, 200)
  assert.match(await evaluated(), /List pets/)
})

test('a guest cannot reveal a hidden description by resolving a conflict with it', async () => {
  const { api } = await makeSpace(app, { 'README.md': '# Home\n', 'api.md': '# API\n\nWords\n' })
  const guest = app.user('Gil', null)
  await app.admin.post(`${api}/permissions`, { role: 'edit', users: [guest.id] })
  const request = (await guest.post(`${api}/change-requests`, { subject: 'One' })).body.id
  const page = (await guest.get(`${api}/content/path/api`)).body.id
  const write = async (by: typeof guest, at: string, words: string) => {
    const changes = [
      { operation: 'update_page', page, document: { markdown: `# API\n\n${words}\n` } },
    ]
    const { status, text } = await by.post(`${api}/${at}`, { changes })
    assert.is(status, 200, text)
  }

  await write(guest, `change-requests/${request}/content`, 'Mine')
  await write(app.admin, 'content', 'Theirs')
  const resolve = (content: string) =>
    guest.post(`${api}/change-requests/${request}/update`, {
      resolutions: [{ path: 'api.md', content }],
    })
  const refused = await resolve(`# API\n\n${block('secret')}`)

  assert.is(refused.status, 403, refused.text)
  const resolved = await resolve('# API\n\nBoth\n')

  assert.is(resolved.status, 200, resolved.text)
})

test('a guest cannot reveal a hidden description by an import or an export', async () => {
  const { api, space } = await makeSpace(app, {
    'README.md': '# Home\n',
    'api.md': `# API\n\n${block('shown')}`,
  })
  const guest = app.user('Gia', null)
  await app.admin.post(`${api}/permissions`, { role: 'edit', users: [guest.id] })
  const request = (name: string) => ({
    url: `${bench.host.origin}/${name}.git`,
    ref: 'refs/heads/main',
    force: true,
  })
  const entry =
    '# S\n\n* ```yaml\n  type: builtin:openapi\n  dependencies: {spec: {ref: {kind: openapi, spec: secret}}}\n  ```\n'

  bench.remote('entry', { 'README.md': '# Home\n', 'SUMMARY.md': entry })
  const past = bench.remote('past', { 'README.md': `# Home\n\n${block('secret')}` })
  const fetched = bench.commit(past, { 'README.md': '# Home\n' })

  bench.remote('known', { 'more.md': `# More\n\n${block('shown')}` })
  const head = bench.git(space.id, 'rev-parse', 'HEAD')

  for (const name of ['entry', 'past', 'past'])
    for (const way of ['import', 'export'] as const) {
      const body = { ...request(name), ...(way === 'export' && { commitMessage: 'Out' }) }
      const refused = await bench.sync(way, space.id, body, guest)
      assert.is(refused.state, 'failure', `${way} ${name}`)
      assert.match(refused.error, /OpenAPI specs/)
    }

  const beside = await bench.sync(
    'import',
    space.id,
    { ...request('past'), standalone: true },
    guest,
  )

  assert.is(beside.state, 'failure')
  const tip = bench.git(space.id, 'rev-parse', 'HEAD')

  assert.is(tip, head)
  assert.is((await guest.get(`${api}/revisions/${fetched}`)).status, 404)
  const taken = await bench.sync('import', space.id, request('known'), guest)

  assert.is(taken.state, 'success', taken.error)
  assert.is(
    (await bench.sync('import', space.id, request('past'))).state,
    'success',
    'a member may',
  )
})

test.run()
