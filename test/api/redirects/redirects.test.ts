import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { randomId } from '../../../src/lib/digest.ts'
import { putAlias } from '../../../src/store/sites/aliases.ts'
import { updateRedirect } from '../../../src/store/sites/redirects.ts'
import { deleteSection, insertSection } from '../../../src/store/sites/sections.ts'
import { deleteSiteSpace, updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
const guest = app.user('Gus', null)
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const files = {
  'README.md': '# Home\n',
  'start.md': '# Start\n',
  'guides/README.md': '# Guides\n',
  'guides/über uns.md': '# About\n',
  'api/call.md': '# Call\n',
}

const base = `${app.url}/sites/acme`

/** A site of these spaces, its API path, and its site spaces by title. */
async function newSite(body: object, spaces: { title: string; files?: Record<string, string> }[]) {
  const made = []
  for (const { title, files: own = files } of spaces) made.push(await makeSpace(app, own, title))
  const site = (await app.admin.post(sites, { ...body, spaces: made.map(({ space }) => space.id) }))
    .body
  const { siteSpaces } = readStructure(app.ctx.store, site.id)

  return {
    id: site.id as string,
    path: `${sites}/${site.id}`,
    spaces: made,
    siteSpaces: siteSpaces.map(({ id }) => id),
    base: `${base}/${site.basename}/`,
  }
}

type Listed = { id: string; path: string; pages?: Listed[] }

/** The id of the page at a path of a space. */
async function pageAt(api: string, path: string): Promise<string> {
  const { pages } = (await app.admin.get(`${api}/content/pages`)).body
  const all = (list: Listed[]): Listed[] => list.flatMap(page => [page, ...all(page.pages ?? [])])
  const found = all(pages).find(page => page.path === path)
  if (!found) throw new Error(`${path} is none of ${all(pages).map(page => page.path)}`)
  return found.id
}

const main = await newSite({ title: 'Main' }, [{ title: 'Docs' }, { title: 'API' }])

const external = (url: string) => ({ kind: 'external', url })
const statusOf = async (body: object, path = main.path) =>
  (await creator.post(`${path}/redirects`, body)).status
const targetOf = async (source: string, { path = main.path, by = reader, query = '' } = {}) => {
  const { status, body } = await by.get(
    `${path}/redirect?source=${encodeURIComponent(source)}${query}`,
  )
  return status === 200 ? body.target : status
}

test('a redirect is created, listed, changed and deleted', async () => {
  const { path, siteSpaces } = main
  const made = await creator.post(`${path}/redirects`, {
    source: '/Old/Page',
    destination: { kind: 'site-space', siteSpaceId: siteSpaces[1] },
  })

  assert.is(made.status, 201, made.text)
  const { id, source, destination } = made.body

  assert.equal(
    [source, destination],
    ['/Old/Page', { kind: 'site-space', siteSpaceId: siteSpaces[1] }],
  )
  assert.is(made.headers.get('location'), `${app.url}${path}/redirects/${id}`)
  await creator.post(`${path}/redirects`, {
    source: '/other',
    destination: external('https://example.org'),
  })
  const found = (await reader.get(`${path}/redirects?search=OLD/p`)).body

  assert.equal([found.count, found.items], [1, [made.body]])
  const all = (await reader.get(`${path}/redirects?limit=1`)).body

  assert.equal([all.count, all.items[0].source], [1, '/other'])
  const rest = (await reader.get(`${path}/redirects?limit=1&page=${all.next.page}`)).body

  assert.equal([rest.items, rest.next], [[made.body], undefined])
  const one = `${path}/redirects/${id}`
  const changed = await creator.patch(one, { destination: external('https://example.org/a') })

  assert.equal(
    [changed.body.source, changed.body.destination.url],
    ['/Old/Page', 'https://example.org/a'],
  )
  assert.equal((await creator.patch(one, {})).body, changed.body)
  assert.is(await targetOf('/old/page'), 'https://example.org/a')
  assert.is((await creator.delete(one)).status, 204)
  assert.is((await creator.delete(one)).status, 204)
  assert.is((await creator.patch(one, { source: '/x' })).status, 404)
  assert.is(await targetOf('/old/page'), 404)
})

test('redirects are listed by last change or by source, also from page to page', async () => {
  const { path } = await newSite({ title: 'Ordered' }, [{ title: 'Docs' }])
  const ids: Record<string, string> = {}
  for (const source of ['/c', '/A', '/d', '/b'])
    ids[source] = (
      await creator.post(`${path}/redirects`, { source, destination: external('https://x.org') })
    ).body.id
  // Times are apart from each other, whatever the clock says.
  const at = { '/c': 3, '/A': 1, '/b': 3 }
  for (const [source, second] of Object.entries(at))
    updateRedirect(app.ctx.store, ids[source] as string, {
      updated_at: `2099-01-01T00:00:0${second}.000Z`,
    })

  for (const [orderBy, wanted] of [
    ['updatedAt', ['/b', '/c', '/A', '/d']],
    ['source', ['/A', '/b', '/c', '/d']],
    ['createdAt', ['/b', '/d', '/A', '/c']],
  ] as const) {
    const seen: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await reader.get(`${path}/redirects?limit=1&orderBy=${orderBy}${next}`)
      seen.push(...body.items.map((each: { source: string }) => each.source))
      next = body.next && `&page=${body.next.page}`
    }
    assert.equal(seen, wanted, orderBy)
  }
  const { next } = (await reader.get(`${path}/redirects?limit=1&orderBy=source`)).body
  assert.is((await reader.get(`${path}/redirects?page=${next.page}`)).status, 400)
  assert.is((await reader.get(`${path}/redirects?orderBy=id`)).status, 400)
})

test('changes are in the audit log', async () => {
  const { items } = (await app.admin.get('/v1/orgs/acme/audit-events?limit=100')).body
  const actions = items.map((each: { action: string }) => each.action)
  for (const action of ['redirect.created', 'redirect.updated', 'redirect.deleted'])
    assert.ok(actions.includes(action), action)
})

test('only users with the role "create" on the site change redirects', async () => {
  const body = { source: '/mine', destination: external('https://example.org') }
  assert.is((await reader.post(`${main.path}/redirects`, body)).status, 403)
  assert.is((await guest.get(`${main.path}/redirects`)).status, 404)
  const { id } = (await creator.post(`${main.path}/redirects`, body)).body
  assert.is((await reader.delete(`${main.path}/redirects/${id}`)).status, 403)
})

test('paths that no address has are refused', async () => {
  const destination = external('https://example.org')
  const wrong = [
    ...[
      '/a*b',
      '/*',
      '/a/*/b',
      '/a?b',
      '/a#b',
      '//a',
      '/a//b',
      '/a/',
      '/',
      '',
      'a',
      '/a b',
      '/%zz',
      '/%FF',
      '/a%2Fb',
      '/../a',
    ],
    ...['/a/.', '/%2e%2e/a', '/a%00', '/a%0a', '/%252525', `/${'a'.repeat(512)}`],
  ]

  for (const source of wrong) assert.is(await statusOf({ source, destination }), 400, source)
  assert.is(await statusOf({ source: '/ok', destination, captureWildcard: true }), 400)
  assert.is((await reader.get(`${main.path}/redirect?source=/a*b`)).status, 400)
  assert.is((await reader.get(`${main.path}/redirect`)).status, 400)
})

test('a site has one redirect from a path, in any case and encoding', async () => {
  const destination = external('https://example.org')
  assert.is(await statusOf({ source: '/Caf%C3%A9', destination }), 201)
  assert.is(await statusOf({ source: '/CAF%c3%89', destination }), 409)
  assert.is(await statusOf({ source: '/cafe%CC%81', destination }), 409)
  assert.is(await targetOf('/caf%C3%A9'), 'https://example.org/')
  const other = await newSite({ title: 'Other' }, [])

  assert.is(await statusOf({ source: '/Caf%C3%A9', destination }, other.path), 201)
  const { body } = await creator.post(`${main.path}/redirects`, { source: '/second', destination })
  const one = `${main.path}/redirects/${body.id}`

  assert.is((await creator.patch(one, { source: '/caf%C3%A9' })).status, 409)
  assert.is((await creator.patch(one, { source: '/SECOND' })).body.source, '/SECOND')
})

test('an external destination is an https address outside of the site', async () => {
  const wrong = [
    ...['javascript:alert(1)', 'http://example.org', '//example.org', 'https://', ''],
    ...[
      'https://user@example.org',
      'https://user:x@example.org',
      'data:text/html,x',
      'https://a b',
    ],
    `https://example.org/${'a'.repeat(2048)}`,
  ]

  for (const url of wrong)
    assert.is(await statusOf({ source: '/e', destination: external(url) }), 400, url)
  const { host } = new URL(app.url)
  const own = [`https://${host}/sites/acme/main/x`, `https://${host}/sites/acme/./Main#x`]

  for (const url of own)
    assert.is(await statusOf({ source: '/e', destination: external(url) }), 400, url)
  const others = [
    `https://${host}/sites/acme/mainly`,
    `https://${host}/v1`,
    'https://example.org/%FF',
  ]

  for (const [at, url] of others.entries())
    assert.is(await statusOf({ source: `/e${at}`, destination: external(url) }), 201, url)
})

test('an external destination that became an address of the site is not found', async () => {
  const { id, path } = await newSite({ title: 'Moving' }, [])
  const { host } = new URL(app.url)
  const set = (text: string) =>
    app.ctx.store.run(sqlRows(sql.raw(`update site set ${text} where id = '${id}'`)))
  const write = (source: string, url: string) =>
    statusOf({ source, destination: external(url) }, path)

  assert.is(await write('/a', 'https://docs.example.org/guide'), 201)
  assert.is(await write('/b', 'https://example.org/docs/x'), 201)
  assert.is(await write('/c', `https://${host}/sites/acme/former/x`), 201)
  set(`hostname = 'docs.example.org', proxy_origin = 'example.org/docs'`)
  const place = { organizationId: 'acme', siteId: null, scope: 'organization' }

  putAlias(app.ctx.store, place, 'former', { kind: 'site', id }, app.ctx.now().toISOString())
  for (const source of ['/a', '/b', '/c'])
    assert.is(await targetOf(source, { path, by: creator }), 404)
})

test('a redirect leads to the canonical address of a section, a site space or a page', async () => {
  const { path, siteSpaces, spaces, base: root } = main
  const [docs, api] = spaces
  const page = async (space: { api: string }, at: string, siteSpaceId = siteSpaces[0]) => ({
    kind: 'site-page',
    siteSpaceId,
    pageId: await pageAt(space.api, at),
  })

  const cases: [string, object, string][] = [
    ['/1', { kind: 'site-space', siteSpaceId: siteSpaces[0] }, root],
    ['/2', { kind: 'site-space', siteSpaceId: siteSpaces[1] }, `${root}api/`],
    ['/3', await page(docs!, 'readme'), root],
    ['/4', await page(docs!, 'start'), `${root}start`],
    ['/5', await page(docs!, 'guides/über uns'), `${root}guides/%C3%BCber%20uns`],
    ['/6', await page(api!, 'start', siteSpaces[1]), `${root}api/start`],
    // The path of the other site space stands before the pages of the default.
    ['/7', await page(docs!, 'api/call'), `${root}docs/api/call`],
  ]

  for (const [source, destination, target] of cases) {
    assert.is(await statusOf({ source, destination }), 201, source)
    assert.is(await targetOf(source, { path }), target)
  }
})

test('a destination that is not there is refused, and one that is gone is not found', async () => {
  const other = await newSite({ title: 'Elsewhere' }, [{ title: 'There' }])
  const { path, siteSpaces, spaces, id } = await newSite({ title: 'Here' }, [
    { title: 'One' },
    { title: 'Two' },
  ])
  const pageId = await pageAt(spaces[0]!.api, 'start')
  const from = (source: string, destination: object) => statusOf({ source, destination }, path)
  const refused = [
    await from('/a', { kind: 'site-space', siteSpaceId: other.siteSpaces[0] }),
    await from('/a', { kind: 'site-section', siteSectionId: 'none' }),
    await from('/a', { kind: 'site-page', siteSpaceId: siteSpaces[0], pageId: 'none' }),
    await from('/a', { kind: 'site-page', siteSpaceId: siteSpaces[1], pageId }),
    await from('/a', { kind: 'site', siteSpaceId: siteSpaces[0] }),
  ]

  assert.equal(refused, [404, 404, 404, 404, 400])
  assert.is(await from('/page', { kind: 'site-page', siteSpaceId: siteSpaces[0], pageId }), 201)
  assert.is(await from('/two', { kind: 'site-space', siteSpaceId: siteSpaces[1] }), 201)
  await commitFiles(spaces[0]!.repo, { 'start.md': null })
  assert.is(await targetOf('/page', { path }), 404)
  assert.is((await app.admin.delete(spaces[1]!.api)).status, 204)
  const gone = await reader.get(`${path}/redirect?source=/two`)
  const never = await reader.get(`${path}/redirect?source=/six`)

  assert.equal([gone.status, gone.text.replace('/two', '/six')], [404, never.text])
  assert.equal(
    [
      (await reader.get(`${path}/redirects`)).body.count,
      (await creator.get(`${path}/redirects`)).body.count,
    ],
    [1, 2],
  )
  assert.is((await app.admin.post(`${spaces[1]!.api}/restore`)).status, 200)
  assert.is(await targetOf('/two', { path }), `${base}/here/two/`)
  deleteSiteSpace(app.ctx.store, siteSpaces[1]!)
  assert.is((await creator.get(`${path}/redirects`)).body.count, 1)
  assert.is((await reader.get(`${sites}/${id}`)).body.siteSpaces, 1)
})

test('a redirect to a section leads to its address, and goes with the section', async () => {
  const { id, path, siteSpaces } = await newSite({ title: 'Parts' }, [
    { title: 'A' },
    { title: 'B' },
  ])
  const { store } = app.ctx
  const at = app.ctx.now().toISOString()
  const [first, second] = ['first', 'second'].map((name, position) =>
    insertSection(store, {
      id: randomId(),
      site_id: id,
      title: name,
      path: name,
      position,
      created_at: at,
    }),
  )

  updateSiteSpace(store, siteSpaces[0]!, { section_id: first!.id })
  const to = (section: { id: string } | undefined) => ({
    kind: 'site-section',
    siteSectionId: section?.id,
  })

  assert.is(await statusOf({ source: '/f', destination: to(first) }, path), 201)
  assert.is(await statusOf({ source: '/s', destination: to(second) }, path), 201)

  // An empty section shows nothing.
  assert.is(await targetOf('/s', { path }), 404)
  updateSiteSpace(store, siteSpaces[1]!, { section_id: second!.id })
  assert.is(await targetOf('/f', { path }), `${base}/parts/`)
  assert.is(await targetOf('/s', { path }), `${base}/parts/second/`)
  const siteSpace = { kind: 'site-space', siteSpaceId: siteSpaces[1] }

  assert.is(await statusOf({ source: '/b', destination: siteSpace }, path), 201)
  deleteSection(store, second!.id)
  assert.equal(
    (await creator.get(`${path}/redirects`)).body.items.map(
      (each: { source: string }) => each.source,
    ),
    ['/f'],
  )
})

test('redirects to what a user may not see are neither listed nor found nor changed', async () => {
  const { path, siteSpaces, spaces } = await newSite({ title: 'Half' }, [
    { title: 'Open' },
    { title: 'Closed' },
  ])

  const given = await app.admin.post(`${spaces[0]!.api}/permissions`, {
    role: 'read',
    users: ['gus'],
  })

  assert.is(given.status, 204, given.text)

  for (const [at, siteSpaceId] of siteSpaces.entries())
    assert.is(
      await statusOf({ source: `/${at}`, destination: { kind: 'site-space', siteSpaceId } }, path),
      201,
    )

  const listed = (await guest.get(`${path}/redirects`)).body

  assert.equal([listed.count, listed.items[0].source], [1, '/0'])
  assert.is(await targetOf('/0', { path, by: guest }), `${base}/half/`)
  assert.is(await targetOf('/1', { path, by: guest }), 404)
})

test('the target contains the key of an active share link', async () => {
  const { path, siteSpaces } = await newSite({ title: 'Shared', visibility: 'share-link' }, [
    { title: 'S' },
  ])
  const destination = { kind: 'site-space', siteSpaceId: siteSpaces[0] }
  assert.is(await statusOf({ source: '/s', destination }, path), 201)
  const link = (await app.admin.post(`${path}/share-links`, { name: 'K' })).body
  const key = new URL(link.urls.published).pathname.split('/').at(-2)
  const ask = (query: string) => targetOf('/s', { path, query })

  assert.is(await ask(`&shareKey=${key}`), `${base}/shared/${key}/`)
  assert.is(await ask('&shareKey=wrong'), `${base}/shared/`)
  assert.is(await ask(`&shareKey=${'x'.repeat(201)}`), 400)
  await app.admin.patch(`${path}/share-links/${link.id}`, { active: false })
  assert.is(await ask(`&shareKey=${key}`), `${base}/shared/`)
})

test('a site has at most 10,000 redirects', async () => {
  const { id, path } = await newSite({ title: 'Full' }, [])
  app.ctx.store.run(
    sqlRows(sql`
      with recursive n(n) as (select 1 union all select n + 1 from n where n < 9999)
      insert into site_redirect (id, site_id, source, source_folded, destination, created_at)
      select 'full' || n, ${id}, '/' || n, '/' || n, '{"kind":"external","url":"https://example.org/"}', ''
      from n`),
  )
  const destination = external('https://example.org')
  assert.is(await statusOf({ source: '/last', destination }, path), 201)
  assert.is(await statusOf({ source: '/more', destination }, path), 409)
  assert.is((await creator.get(`${path}/redirects?search=999`)).body.count, 19)
})

test.run()
