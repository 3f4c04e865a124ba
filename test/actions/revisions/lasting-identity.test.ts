import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { viewCache } from '../../../src/actions/revisions/view-revision.ts'
import { makeSpace, type Space } from '../../api/change-requests/workbench.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

type Page = { id: string; title: string; git: { path: string } }

const edit = async (space: Space, changes: object[], request?: string) => {
  const path = request
    ? `${space.path}/${request}/content?compat=false`
    : `/v1/spaces/${space.id}/content`
  const reply = await app.admin.post(path, { changes })
  assert.is(reply.status, 200, reply.text)
  return reply.body
}

/** Returns the page ids by file path. */
const idsAt = async (path: string): Promise<Record<string, string>> => {
  const { body } = await app.admin.get(`${path}/pages`)
  return Object.fromEntries((body.pages as Page[]).map(page => [page.git.path, page.id]))
}

const content = (space: Space) => `/v1/spaces/${space.id}/content`
const insert = (title: string, text = '') => ({
  operation: 'insert_page',
  title,
  slug: title.toLowerCase(),
  document: { markdown: `# ${title}\n\n${text}\n` },
})

test('a revision from before the first rename shows the page ids of that time', async () => {
  const space = await makeSpace(app)
  await edit(space, [insert('Setup', 'How to set things up, in a few words.')])
  const old = (await space.head())!
  const revision = `/v1/spaces/${space.id}/revisions/${old}`
  const before = await idsAt(revision)
  const page = before['setup.md']!

  await edit(space, [{ operation: 'update_page', page, slug: 'install' }])
  await edit(space, [insert('Setup', 'Something else entirely stands here now.')])
  const now = await idsAt(content(space))

  assert.is(now['install.md'], page)
  assert.is.not(now['setup.md'], page)

  // As after a restart: nothing is cached.
  app.ctx.caches.get(viewCache).delete(`${space.id} ${old}`)
  assert.equal(await idsAt(revision), before)
})

test('an unedited change request keeps its page ids while the primary content moves on', async () => {
  const space = await makeSpace(app)
  await edit(space, [insert('Setup', 'How to set things up, in a few words.')])
  const { body: request } = await space.open(app.admin, 'Later')
  const before = await idsAt(`${space.path}/${request.id}/content`)
  const page = before['setup.md']!

  await edit(space, [{ operation: 'update_page', page, slug: 'install' }])
  await edit(space, [insert('Setup', 'Something else entirely stands here now.')])
  app.ctx.caches.get(viewCache).delete(`${space.id} ${request.revision}`)
  assert.equal(await idsAt(`${space.path}/${request.id}/content`), before)
})

test('each of several pushed commits shows the page ids from before the push', async () => {
  const space = await makeSpace(app)
  await edit(space, [insert('Setup', 'How to set things up, in a few words.')])
  const page = (await idsAt(content(space)))['setup.md']!
  await edit(space, [{ operation: 'update_page', page, slug: 'install' }])
  const first = await space.commit({ 'a.txt': 'one' })
  await space.commit({ 'a.txt': 'two' })
  assert.is((await idsAt(content(space)))['install.md'], page)
  assert.is((await idsAt(`/v1/spaces/${space.id}/revisions/${first}`))['install.md'], page)
})

test('each commit of a push with the first rename of a space shows the page ids from before it', async () => {
  const space = await makeSpace(app)
  const text = '# Setup\n\nHow to set things up, in a few words.\n'
  await space.commit({
    'setup.md': text,
    'SUMMARY.md': '* [Docs](README.md)\n* [Setup](setup.md)\n',
  })
  const page = (await idsAt(content(space)))['setup.md']!
  const summary = '* [Docs](README.md)\n* [Setup](install.md)\n'
  const first = await space.commit({ 'setup.md': null, 'install.md': text, 'SUMMARY.md': summary })

  await space.commit({ 'a.txt': 'one' })
  assert.is((await idsAt(content(space)))['install.md'], page)
  assert.is((await idsAt(`/v1/spaces/${space.id}/revisions/${first}`))['install.md'], page)
})

test('a published page keeps its id when a merged change request had moved a page away from its path', async () => {
  const space = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'Mine')
  const made = await edit(
    space,
    [insert('Untitled', 'What the change request brings.')],
    request.id,
  )
  const proposed = made.changes[0].page.id

  await edit(space, [{ operation: 'update_page', page: proposed, slug: 'mine' }], request.id)

  await edit(space, [insert('Untitled', 'Published meanwhile by somebody else.')])
  const published = (await idsAt(content(space)))['untitled.md']!
  const merged = await app.admin.post(`${space.path}/${request.id}/merge`)

  assert.is(merged.body.result, 'merge', merged.text)
  const after = await idsAt(content(space))

  assert.is(after['untitled.md'], published)
  assert.ok(after['mine.md'])
  assert.is.not(after['mine.md'], published)
})

test('a published page keeps its id when that change request was updated before the merge', async () => {
  const space = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'Mine')
  const made = await edit(
    space,
    [insert('Untitled', 'What the change request brings.')],
    request.id,
  )

  await edit(
    space,
    [{ operation: 'update_page', page: made.changes[0].page.id, slug: 'mine' }],
    request.id,
  )
  await edit(space, [insert('Untitled', 'Published meanwhile by somebody else.')])
  const published = (await idsAt(content(space)))['untitled.md']!

  assert.is((await app.admin.post(`${space.path}/${request.id}/update`)).body.result, 'update')
  assert.is((await app.admin.post(`${space.path}/${request.id}/merge`)).body.result, 'merge')
  assert.is((await idsAt(content(space)))['untitled.md'], published)
})

test('a merge keeps a rename and the new page at the old path', async () => {
  const space = await makeSpace(app)
  await edit(space, [insert('Setup', 'How to set things up, in a few words.')])
  const page = (await idsAt(content(space)))['setup.md']!
  const { body: request } = await space.open(app.admin, 'Rename')

  await edit(space, [{ operation: 'update_page', page, slug: 'install' }], request.id)
  await edit(space, [insert('Setup', 'Something else entirely stands here now.')], request.id)
  const proposed = await idsAt(`${space.path}/${request.id}/content`)

  await edit(space, [insert('Other', 'So that the two differ.')])
  assert.is((await app.admin.post(`${space.path}/${request.id}/merge`)).body.result, 'merge')
  const after = await idsAt(content(space))

  assert.is(after['install.md'], page)
  assert.is(after['setup.md'], proposed['setup.md'])
})

test.run()
