import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { openSyncBench } from '../../support/git/remote.ts'
import { petstore, processed } from '../openapi/host.ts'

const bench = await openSyncBench()
const { app } = bench
test.after(() => bench.stop())

const contents = (slug: string) =>
  `# Contents\n\n* [Home](README.md)\n* \`\`\`yaml\n  type: builtin:openapi\n  props:\n    models: true\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: ${slug}\n  \`\`\`\n`
const block = (slug: string) => `{% openapi-operation spec="${slug}" path="/pets" method="get" %}\n`

test.before(async () => {
  for (const slug of ['shown', 'secret']) {
    await app.admin.put(`/v1/orgs/acme/openapi/${slug}`, { source: { text: petstore(slug) } })
    await processed(app, `/v1/orgs/acme/openapi/${slug}`)
  }
})

/** A space that a new guest may edit. */
async function guestSpace(name: string, files: Record<string, string>) {
  const { api, space } = await makeSpace(app, files)
  const guest = app.user(name, null)
  await app.admin.post(`${api}/permissions`, { role: 'edit', users: [guest.id] })
  return { api, space, guest }
}

/**
 * Changes the settings in the primary content and in a change request of the guest, so that they
 * conflict.
 */
async function conflictingSettings(name: string, more: Record<string, string> = {}) {
  const made = await guestSpace(name, {
    'README.md': '# Home\n',
    'a.md': '# A\n',
    'SUMMARY.md': '# Contents\n\n* [Home](README.md)\n* [A](a.md)\n',
    ...more,
  })
  const { api, guest } = made
  const page = (await guest.get(`${api}/content/path/a`)).body.id
  const request = `${api}/change-requests/${(await guest.post(`${api}/change-requests`, { subject: 'X' })).body.id}`
  const move = async (at: string, slug: string) => {
    const changes = [{ operation: 'update_page', page, slug, redirect: true }]
    const moved = await guest.post(`${at}/content`, { changes })
    assert.is(moved.status, 200, moved.text)
  }

  await move(api, 'a-main')
  await move(request, 'a-branch')
  const { body } = await guest.post(`${request}/update`, {})

  assert.is(body.result, 'conflicts')
  const resolve = (settings: string) =>
    guest.post(`${request}/update`, {
      resolutions: body.conflicts.map(({ path }: { path: string }) =>
        path === '.gitbook.yaml' ? { path, content: settings } : { path, take: 'ours' },
      ),
    })

  return { ...made, request, resolve }
}

test('a guest cannot reveal a description by turning a page into the table of contents', async () => {
  const { api, guest, request, resolve } = await conflictingSettings('Gus')
  const page = {
    operation: 'insert_page',
    title: 'Evil',
    slug: 'evil',
    document: { markdown: contents('secret') },
  }

  assert.is((await guest.post(`${request}/content`, { changes: [page] })).status, 200)
  const refused = await resolve('structure:\n  summary: evil.md\n')

  assert.is(refused.status, 403, refused.text)
  assert.match(refused.body.error.message, /"secret".*[Aa]sk a member/)
  assert.not.match((await guest.get(`${request}/content/pages`)).text, /lastVersion|pets/i)
  assert.is((await resolve('structure:\n  summary: SUMMARY.md\n')).status, 200)
  assert.is((await guest.post(`${request}/merge`, {})).body.result, 'merge')
  assert.not.match((await guest.get(`${api}/content/pages`)).text, /lastVersion|pets/i)
})

test('a guest cannot list a file that names a description and was not a page before', async () => {
  const { guest, request, resolve } = await conflictingSettings('Gil', {
    'other.md': '# Contents\n\n* [Home](README.md)\n* [Hidden](hidden.md)\n',
    'hidden.md': `# Hidden\n\n${block('secret')}`,
  })
  assert.is((await resolve('structure:\n  summary: other.md\n')).status, 403)
  assert.is((await guest.get(`${request}/content/path/hidden?evaluated=true`)).status, 404)
})

test('a guest may use another table of contents with descriptions that are shown already', async () => {
  const { guest, request, resolve } = await conflictingSettings('Gea', {
    'SUMMARY.md': `${contents('shown')}* [A](a.md)\n`,
    'other.md': contents('shown'),
  })
  assert.is((await resolve('structure:\n  summary: other.md\n')).status, 200)
  assert.match((await guest.get(`${request}/content/pages`)).text, /lastVersion/)
})

test('a guest cannot import a history in which a page was the table of contents', async () => {
  const { api, space, guest } = await guestSpace('Gia', { 'README.md': '# Home\n' })
  const page = {
    operation: 'insert_page',
    title: 'Evil',
    slug: 'evil',
    document: { markdown: contents('secret') },
  }

  assert.is((await guest.post(`${api}/content`, { changes: [page] })).status, 200)
  const evil = bench.git(space.id, 'show', 'HEAD:evil.md')
  const remote = bench.remote('turned', { 'README.md': '# Home\n', 'evil.md': `${evil}\n` })
  const named = bench.commit(remote, { '.gitbook.yaml': 'structure:\n  summary: evil.md\n' })

  bench.commit(remote, { '.gitbook.yaml': null })
  const order = { url: `${bench.host.origin}/turned.git`, ref: 'refs/heads/main', force: true }

  for (const standalone of [false, true]) {
    const refused = await bench.sync('import', space.id, { ...order, standalone }, guest)
    assert.is(refused.state, 'failure')
    assert.match(refused.error, /"secret"/)
  }

  assert.is((await guest.get(`${api}/revisions/${named}/pages`)).status, 404)
})

test('a guest may merge and revert the changes of members, and a member may show any description', async () => {
  const { api, guest } = await guestSpace('Guy', {
    'README.md': '# Home\n',
    'api.md': `# API\n\n${block('shown')}`,
  })
  const before = (await guest.get(`${api}/content`)).body.id
  const request = `${api}/change-requests/${(await app.admin.post(`${api}/change-requests`, { subject: 'X' })).body.id}`
  const page = (await guest.get(`${api}/content/path/api`)).body.id
  const write = (markdown: string) =>
    app.admin.post(`${request}/content`, {
      changes: [{ operation: 'update_page', page, document: { markdown } }],
    })

  assert.is((await write(`# API\n\n${block('secret')}`)).status, 200)
  const merged = await guest.post(`${request}/merge`, {})

  assert.is(merged.body.result, 'merge', merged.text)
  const revert = { operation: 'revert_page', page, revision: before }
  const refused = await guest.post(`${api}/content`, { changes: [revert] })

  assert.is(refused.status, 403, 'the content does not name "shown" any more')
  const again = await app.admin.post(`${api}/content`, { changes: [revert] })

  assert.is(again.status, 200, again.text)
})

test.run()
