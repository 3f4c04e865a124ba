import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forgetDerived } from '../../../src/actions/upkeep/reindex.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Reply, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
const other = await makeSpace(app, {}, 'Other')
const files = {
  'README.md': `---
cover: .gitbook/assets/dot.svg
---

# Home

[a](guide/install.md#steps) [b](guide/) [c](guide/install.md#nowhere) [d](gone.md) <https://x.example.org>

{% include ".gitbook/includes/note.md" %}

![dot](.gitbook/assets/dot.svg) [e](notes.md) [f](https://app.gitbook.com/s/${other.space.id}/x) [g](https://app.gitbook.com/s/nowhere)
`,
  'SUMMARY.md': `# Table of contents

* [Home](README.md)
* [Guide](guide/README.md)
  * [Install](guide/install.md)
* [Status](https://status.example.org)
* [Lost](lost.md)
`,
  'guide/README.md': '# Guide\n\n[home](../) [itself](README.md#guide) [out](../../x.md)\n',
  'guide/install.md': '# Install\n\n## Steps\n\n[g](./) [mail](mailto:a@example.org) [x]()\n',
  'notes.md': '# Notes\n\n[install](guide/install)\n',
  '.gitbook/assets/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>\n',
  '.gitbook/includes/note.md': '# Note\n\n[guide](../../guide/install.md)\n',
}
const { space, repo, api } = await makeSpace(app, files)
test.after(() => app.stop())

type Shown = Reply['body']
type Item = {
  status: string
  relation: string
  targetReference?: Shown
  locationReferences: Shown[]
  link: { target: string; class: string; path: string; line: number; anchor?: string }
}

const list = async (path: string, by = app.admin) => {
  const reply = await by.get(api + path)
  assert.is(reply.status, 200, reply.text)
  return reply.body as {
    items: Item[]
    count: number
    next?: { page: string }
    stats: { total: number; broken: { total: number; changeRequest?: number } }
  }
}
const inShort = ({ link, status }: Item) =>
  `${link.path}:${link.line} ${link.target} ${link.class} ${status}`

test('with fields=link, items are the written links alone, in an answer of their own', async () => {
  for (const path of ['/links', '/change-requests/1/links']) {
    if (path !== '/links') await app.admin.post(`${api}/change-requests`, { subject: 'Links' })
    const [whole, short] = [await list(path), await list(`${path}?fields=link`)]
    assert.equal(
      short.items,
      whole.items.map(({ status, relation, link }) => ({
        status,
        relation,
        locationReferences: [],
        link,
      })),
    )
    assert.equal(short.stats, whole.stats)
    assert.equal((await list(path)).items.map(inShort), whole.items.map(inShort))
    assert.ok((await list(path)).items.every(item => item.locationReferences.length === 1))
    assert.ok(JSON.stringify(short).length * 4 < JSON.stringify(whole).length)
  }
  assert.is((await app.admin.get(`${api}/links?fields=target`)).status, 400)
})

test('every link of a space is listed with its target', async () => {
  const { items, stats } = await list('/links')
  assert.equal(items.map(inShort), [
    '.gitbook/includes/note.md:3 ../../guide/install.md page ok',
    'README.md:2 .gitbook/assets/dot.svg asset ok',
    'README.md:7 guide/install.md#steps page ok',
    'README.md:7 guide/ dir-page ok',
    'README.md:7 guide/install.md#nowhere page broken',
    'README.md:7 gone.md missing-page broken',
    'README.md:7 https://x.example.org external ok',
    'README.md:9 .gitbook/includes/note.md reusable-content ok',
    'README.md:11 .gitbook/assets/dot.svg asset ok',
    'README.md:11 notes.md page-unlisted ok',
    `README.md:11 https://app.gitbook.com/s/${other.space.id}/x app-space in-app`,
    'README.md:11 https://app.gitbook.com/s/nowhere app-space in-app',
    'SUMMARY.md:6 https://status.example.org external ok',
    'SUMMARY.md:7 lost.md missing-page broken',
    'guide/README.md:3 ../ dir-page ok',
    'guide/README.md:3 README.md#guide page ok',
    'guide/README.md:3 ../../x.md escape broken',
    'guide/install.md:5 ./ dir-page ok',
    'guide/install.md:5 mailto:a@example.org mailto ok',
    'guide/install.md:5  empty broken',
    'notes.md:3 guide/install extensionless-page ok',
  ])
  assert.equal(stats, { total: 21, broken: { total: 5 } })
})

test('targets and sources are API resources', async () => {
  const { items } = await list('/links')
  const at = (target: string) => items.find(({ link }) => link.target === target)!
  const steps = at('guide/install.md#steps')
  assert.is(steps.relation, 'reference')
  assert.is(steps.targetReference?.kind, 'page')
  assert.is(steps.targetReference?.page.title, 'Install')
  assert.is(steps.targetReference?.space.id, space.id)
  assert.is(steps.targetReference?.organization.id, 'acme')
  assert.is(steps.targetReference?.versionContext.type, 'revision')
  assert.equal(steps.targetReference?.internalLocation, { type: 'anchor', anchor: 'steps' })
  assert.is(steps.link.anchor, undefined)
  assert.is(at('guide/install.md#nowhere').link.anchor, 'missing')
  assert.is(steps.locationReferences[0]?.page.title, 'Home')
  assert.equal(at('guide/').targetReference?.page.pages, [])
  const include = at('.gitbook/includes/note.md')

  assert.is(include.relation, 'dependsOn')
  assert.is(include.targetReference?.reusableContent.title, 'Note')
  assert.is(at('../../guide/install.md').locationReferences[0]?.kind, 'reusable-content')
  assert.is(at('guide/install').locationReferences[0]?.file.name, 'notes.md')
  assert.equal(at('gone.md').targetReference, { kind: 'url', url: 'gone.md' })
  assert.is(at('lost.md').locationReferences[0]?.page.title, 'Lost')
  assert.equal(at('https://app.gitbook.com/s/nowhere').targetReference, {
    kind: 'url',
    url: 'https://app.gitbook.com/s/nowhere',
  })
})

test('a space that the caller may not read is shown by its URL only', async () => {
  const guest = app.user('Guest', null)
  const { status } = await app.admin.post(`${api}/permissions`, { role: 'read', users: [guest.id] })
  assert.ok(status < 300)
  const url = `https://app.gitbook.com/s/${other.space.id}/x`
  const target = async (by = app.admin) =>
    (await list('/links?status=in-app', by)).items.find(({ link }) => link.target === url)
      ?.targetReference

  assert.is((await target())?.space.title, 'Other')
  assert.equal(await target(guest), { kind: 'url', url })
})

test('filters and pages', async () => {
  const broken = await list('/links?status=broken')
  assert.is(broken.count, 5)
  assert.is(broken.stats.total, 21)
  const all = (await list('/links')).items.map(inShort)
  const seen: string[] = []

  for (let path = '/links?limit=3'; path !== ''; ) {
    const { items, next } = await list(path)
    seen.push(...items.map(inShort))
    path = next ? `/links?limit=3&page=${next.page}` : ''
  }

  assert.equal(seen, all)
  const { next } = await list('/links?limit=3')
  const wrong = await app.admin.get(`${api}/links?limit=3&status=ok&page=${next?.page}`)

  assert.is(wrong.status, 400)
  assert.match(wrong.body.error.message, /"page"/)
  assert.is((await app.admin.get(`${api}/links?status=bad`)).status, 400)
  const unknown = await app.admin.get(`${api}/links?brokenContext=space`)
  assert.equal([unknown.status, unknown.headers.get('stemma-ignored')], [200, 'brokenContext'])
})

test('the links of a page, and the backlinks of a page and a file', async () => {
  const page = (await app.admin.get(`${api}/content/path/guide/install`)).body.id
  const links = await list(`/content/page/${page}/links?status=broken`)
  assert.equal(links.items.map(inShort), ['guide/install.md:5  empty broken'])
  assert.equal(links.stats, { total: 3, broken: { total: 1 } })
  const backlinks = (await app.admin.get(`${api}/content/page/${page}/backlinks`)).body
  const names = backlinks.items.map((item: Shown) => [
    item.kind,
    item.page?.title ?? item.file?.name ?? item.reusableContent?.title,
  ])

  assert.equal(names, [
    ['reusable-content', 'Note'],
    ['page', 'Home'],
    ['file', 'notes.md'],
  ])
  const guide = (await app.admin.get(`${api}/content/path/guide`)).body.id
  const toGuide = (await app.admin.get(`${api}/content/page/${guide}/backlinks?limit=1`)).body

  assert.is(toGuide.items[0].page.title, 'Home')
  assert.ok(toGuide.next)
  const listed = (await app.admin.get(`${api}/content/files`)).body.items
  const dot = listed.find((file: { name: string }) => file.name === 'dot.svg').id
  const toDot = (await app.admin.get(`${api}/content/files/${dot}/backlinks`)).body

  assert.is(toDot.count, 1)
  assert.is(toDot.items[0].page.title, 'Home')
  for (const path of ['page/nowhere/links', 'page/nowhere/backlinks', 'files/nowhere/backlinks'])
    assert.is((await app.admin.get(`${api}/content/${path}`)).status, 404, path)
})

test('the links that a change request breaks', async () => {
  const request = (await app.admin.post(`${api}/change-requests`, { subject: 'Less' })).body
  const scope = `/change-requests/${request.id}`
  assert.equal((await list(`${scope}/links`)).stats, {
    total: 21,
    broken: { total: 5, changeRequest: 0 },
  })

  await commitFiles(
    repo,
    { 'notes.md': null, 'guide/install.md': '# Install\n\n[x]() [y](new.md)\n' },
    { ref: `refs/heads/change-requests/${request.number}` },
  )
  const { items, stats } = await list(`${scope}/links?brokenContext=change-request`)

  assert.equal(items.map(inShort), [
    'README.md:7 guide/install.md#steps page broken',
    'README.md:11 notes.md missing-page broken',
    'guide/install.md:3 new.md missing-page broken',
  ])
  assert.equal(stats.broken, { total: 8, changeRequest: 3 })
  assert.is(items[0]?.locationReferences[0]?.versionContext.changeRequest.id, request.id)
  assert.is((await list(`${scope}/links?brokenContext=space`)).count, 5)
  const page = (await app.admin.get(`${api}${scope}/content/path/guide/install`)).body.id
  const own = await list(`${scope}/content/page/${page}/links`)

  assert.equal(own.stats, { total: 2, broken: { total: 2, changeRequest: 1 } })
  const filtered = (query: string) => list(`${scope}/content/page/${page}/links?${query}`)

  assert.equal((await filtered('status=ok')).items, [])
  assert.is((await filtered('status=broken')).count, 2)
  assert.is((await filtered('brokenContext=change-request')).count, 1)
  const backlinks = (await app.admin.get(`${api}${scope}/content/page/${page}/backlinks`)).body

  assert.is(backlinks.count, 2)

  // The primary content then breaks a link of its own, which is not due to the change request.
  await commitFiles(repo, { 'other.md': '[z](nothing.md)\n' })
  assert.is((await list('/links')).stats.broken.total, 6)
  assert.is((await list(`${scope}/links`)).stats.broken.changeRequest, 3)
})

test('a block that shows a spec depends on it', async () => {
  const spec = (slug: string) =>
    `{% openapi-operation spec="${slug}" path="/pets" method="get" %}\n`
  await commitFiles(repo, { 'api.md': `${spec('acme')}\n${spec('gone')}` })
  const source = { text: '{"openapi":"3.1.0","info":{"title":"Acme","version":"1"},"paths":{}}' }
  assert.is((await app.admin.put('/v1/orgs/acme/openapi/Acme', { source })).status, 201)
  const [there, gone] = (await list('/links')).items.filter(({ link }) => link.path === 'api.md')

  assert.is(there?.relation, 'dependsOn')
  assert.is(there?.targetReference?.openAPISpec.slug, 'acme')
  assert.is(gone?.status, 'broken')
  assert.not(gone?.targetReference)
  const guest = app.user('Gus', null)

  await app.admin.post(`${api}/permissions`, { role: 'read', users: [guest.id] })
  const seen = (await list('/links', guest)).items.filter(({ link }) => link.path === 'api.md')

  assert.equal(
    seen.map(({ status, targetReference }) => [status, targetReference]),
    [
      ['ok', undefined],
      ['ok', undefined],
    ],
  )
})

test('the links of a file are stored for its blob until derived data is dropped', async () => {
  const count = () =>
    app.ctx.store.get(sqlRows<{ n: number }>(sql`select count(*) as n from blob_links`))?.n ?? 0
  await list('/links')
  const before = count()
  assert.ok(before >= 5)
  await commitFiles(repo, { 'more.md': '[home](README.md)\n', 'picture.png': 'no Markdown' })
  await list('/links')
  assert.is(count(), before + 1)
  forgetDerived(app.ctx)
  assert.is(count(), 0)
  await list('/links')
})

test('syntax of other tools is named once, with the first page of the list', async () => {
  const other = await makeSpace(app, {
    'README.md': '# Home\n\n[a](a.md) [a](a.md)\n\n::: raw\n',
    'a.md': '# A\n\n<Frame>\n\n[home](README.md)\n\n</Frame>\n\n<Frame/>\n',
  })
  const links = async (query: string) =>
    (await app.admin.get(`${other.api}/links${query}`)).body as {
      issues?: { path: string; line: number; message: string }[]
      next?: { page: string }
    }
  const { issues = [], next } = await links('?limit=1')
  assert.equal(
    issues.map(({ path, line, message }) => `${path}:${line} ${message.split('. ')[0]}`),
    [
      'README.md:5 ":::raw" is shown as text',
      'a.md:3 The component <Frame> shows only its content',
    ],
  )
  assert.is((await links(`?limit=1&page=${next?.page}`)).issues, undefined)
  assert.is(((await list('/links')) as { issues?: unknown }).issues, undefined)
})

test('an answer has an ETag that is valid as long as the answer', async () => {
  const { headers } = await app.admin.get(`${api}/links`)
  const etag = headers.get('etag') ?? ''
  assert.is((await app.admin.get(`${api}/links`, { 'if-none-match': etag })).status, 304)
  await commitFiles(repo, { 'other.md': '[z](nothing.md) [more](README.md)\n' })
  assert.is((await app.admin.get(`${api}/links`, { 'if-none-match': etag })).status, 200)
})

test.run()
