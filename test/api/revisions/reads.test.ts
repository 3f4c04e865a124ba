import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findSearchSpace, updateSearchSpace } from '../../../src/store/search/search-index.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { until } from '../../support/until.ts'

const app = await startApp()
test.after(() => app.stop())
const files = {
  'README.md': '# Home\n\nAlbatross. [guide](guide.md) [gone](gone.md) ![dot](dot.svg)\n',
  'guide.md': '# Guide\n\n[home](README.md)\n',
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n',
  'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>\n',
}
const { space, api } = await makeSpace(app, files)

const get = async (path: string, who: Actor = app.admin) => {
  const reply = await who.get(`${api}${path}`)
  assert.is(reply.status, 200, reply.text)
  return reply
}
const before = (await get('/content')).body
const [home, guide] = before.pages
const [file] = (await get('/content/files')).body.items
const changes = [
  { operation: 'update_page', page: home.id, document: { markdown: '# Home\n\nBuzzard.\n' } },
]
const edited = await app.admin.post(`${api}/content`, { changes })
assert.is(edited.status, 200, edited.text)
const now = edited.body.revision
const old = `/revisions/${before.id}`
const current = `/revisions/${now}`

const targets = (body: { items: { link: { target: string }; status: string }[] }) =>
  body.items.map(({ link, status }) => `${link.target} ${status}`)

test('the links of a revision, and of a page of it, are those of then', async () => {
  const links = (await get(`${old}/links`)).body
  assert.equal(targets(links), ['guide.md ok', 'gone.md broken', 'dot.svg ok', 'README.md ok'])
  assert.is(links.stats.broken.total, 1)
  assert.is(links.items[0].targetReference.versionContext.revision.id, before.id)
  assert.equal(targets((await get(`${old}/page/${guide.id}/links`)).body), ['README.md ok'])
  assert.equal(targets((await get(`${old}/links?status=broken`)).body), ['gone.md broken'])
  assert.equal(targets((await get(`${current}/links`)).body), ['README.md ok'])
})

test('the backlinks of a page and a file of a revision are those of then', async () => {
  const from = async (path: string) =>
    (await get(path)).body.items.map(({ page }: { page: { title: string } }) => page.title)

  assert.equal(await from(`${old}/page/${guide.id}/backlinks`), ['Home'])
  assert.equal(await from(`${old}/files/${file.id}/backlinks`), ['Home'])
  assert.equal(await from(`${current}/page/${guide.id}/backlinks`), [])
  assert.equal(await from(`${current}/files/${file.id}/backlinks`), [])
})

test('a search in a revision finds the texts of then', async () => {
  const found = async (path: string, query: string) => {
    const { body, headers } = await get(`${path}/search?query=${query}`)
    const titles = body.items.map(({ title }: { title: string }) => title)
    return [titles, headers.get('stemma-revision')]
  }

  assert.equal(await found(old, 'albatross'), [['Home'], before.id])
  assert.equal(await found(old, 'buzzard'), [[], before.id])
  assert.equal(await found(current, 'buzzard'), [['Home'], now])
  assert.equal(await found('', 'albatross'), [[], now])
  assert.equal(await found('', 'buzzard'), [['Home'], now])
})

test('what the index has gathered of old revisions is removed when it is too much', async () => {
  const { store } = app.ctx
  const row = () => findSearchSpace(store, space.id)
  updateSearchSpace(store, row()!.number, { others: 2001 })
  assert.is((await get(`${old}/search?query=albatross`)).body.items.length, 1)
  // The job waits a moment for further changes.
  await until('the index is tidy', () => (row()?.others === 0 ? true : undefined))
  assert.is((await get(`${old}/search?query=albatross`)).body.items.length, 1)
  assert.is((await get('/search?query=buzzard')).body.items.length, 1)
})

test('a revision has the address of its PDF', async () => {
  const { url } = (await get(`${old}/pdf`)).body
  assert.ok(url.startsWith(`${app.url}/pdf/${space.id}/${before.id}/`), url)
})

test('a revision that the space does not have, and a space that may not be read, are missing', async () => {
  const stranger = app.user('Sid')
  for (const path of ['links', `page/${guide.id}/links`, 'search?query=home', 'pdf']) {
    assert.is((await app.admin.get(`${api}/revisions/${'0'.repeat(40)}/${path}`)).status, 404, path)
    assert.is((await app.admin.get(`${api}/revisions/x/${path}`)).status, 400, path)
    assert.is((await stranger.get(`${api}${old}/${path}`)).status, 404, path)
    assert.is((await app.anonymous.get(`${api}${old}/${path}`)).status, 401, path)
  }
  assert.is((await app.admin.get(`${api}${old}/page/nowhere/links`)).status, 404)
})

test.run()
