import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type Reply, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { publishedSite } from '../../support/sites.ts'

const app = await startApp()
test.after(() => app.stop())
const reader = app.user('Rita', 'read')
const sites = '/v1/orgs/acme/sites'

const manual = await makeSpace(app, {
  'README.md': '# Manual\n',
  'page.md': '# Page\n',
  'SUMMARY.md': '* [Manual](README.md)\n* [Page](page.md)\n',
})
const hidden = await makeSpace(app, { 'README.md': '# Plans\n' }, 'Plans')

const first = await publishedSite(app, [manual.space.id], { basename: 'manual' })
await publishedSite(app, [manual.space.id], {
  basename: 'own',
  hostname: 'docs.example.org',
})
await app.admin.patch(hidden.api, { defaultLevel: null })
await publishedSite(app, [hidden.space.id], {
  basename: 'closed',
  hostname: 'plans.example.org',
  visibility: 'visitor-auth',
  members_only: 1,
})
const keyed = await publishedSite(app, [manual.space.id], {
  basename: 'shared',
  visibility: 'share-link',
})
const shared: string = (
  await app.admin.post(`${sites}/${keyed.id}/share-links`, { name: 'Partners' })
).body.urls.published

const at = `${app.url}/sites/acme`
await app.admin.post(`${sites}/${first.id}/redirects`, {
  source: '/moved',
  destination: { kind: 'external', url: 'https://example.net/' },
})
const targets = {
  [`${at}/manual/`]: 'in-app',
  [`${at}/manual/page?x=1#part`]: 'in-app',
  [`${at}/manual//page`]: 'in-app',
  [`${at}/manual/none`]: 'broken',
  [`${at}/manual/PAGE.md`]: 'in-app',
  [`${at}/manual/sitemap.xml`]: 'in-app',
  [`${at}/manual/moved`]: 'in-app',
  [`${at}/manual/later`]: 'broken',
  [`${at}/nowhere/`]: 'broken',
  [`${app.url}/sites/other/manual/`]: 'broken',
  'https://docs.example.org/page': 'in-app',
  [`${at}/own/page`]: 'in-app',
  [shared]: 'in-app',
  [`${at}/shared/`]: 'broken',
  [`${app.url}/docs`]: 'ok',
  'https://elsewhere.example.org/': 'ok',
  'https://docs.example.org:8443/page': 'ok',
}
const page = Object.keys(targets).concat(`${at}/closed/`, 'https://plans.example.org/')
const from = await makeSpace(
  app,
  { 'README.md': `# Links\n\n${page.map((url, n) => `[${n}](${url})`).join(' ')}\n` },
  'Links',
)

async function statusesFor(who: Actor, more = ''): Promise<Record<string, string>> {
  const { body, text, status }: Reply = await who.get(`${from.api}/links${more}`)
  assert.is(status, 200, text)
  return Object.fromEntries(
    body.items.map((item: Reply['body']) => [item.link.target, item.status]),
  )
}

test('links to published sites of the server are in-app, or broken', async () => {
  const found = await statusesFor(app.admin)
  for (const [url, status] of Object.entries(targets)) assert.is(found[url], status, url)
})

test('a page that is added mends a link to its address', async () => {
  const changes = [{ operation: 'insert_page', title: 'Later', document: { markdown: 'Text.\n' } }]
  assert.is((await app.admin.post(`${manual.api}/content`, { changes })).status, 200)
  assert.is((await statusesFor(app.admin))[`${at}/manual/later`], 'in-app')
})

test('a link to content of a site leads to its space, for who may read the space', async () => {
  const targets = async (who: Actor) => {
    const { items } = (await who.get(`${from.api}/links?status=in-app`)).body
    return items.map(({ link, targetReference: { kind, space, url } }: Reply['body']) => [
      link.target,
      kind,
      space?.id ?? url,
    ])
  }
  const address = `${at}/manual/`
  const find = (list: string[][]) => list.find(([url]) => url === address)

  assert.equal(find(await targets(app.admin)), [address, 'space', manual.space.id])
  await app.admin.patch(manual.api, { defaultLevel: null })
  assert.equal(find(await targets(reader)), [address, 'url', address])
  await app.admin.patch(manual.api, { defaultLevel: 'inherit' })
})

test('a site that the caller may not read is as one that does not exist', async () => {
  const seen = [`${at}/closed/`, 'https://plans.example.org/']
  const [asAdmin, asReader] = [await statusesFor(app.admin), await statusesFor(reader)]

  assert.equal(
    seen.map(url => asAdmin[url]),
    ['in-app', 'in-app'],
  )
  assert.equal(
    seen.map(url => asReader[url]),
    [asReader[`${at}/nowhere/`], asReader['https://elsewhere.example.org/']],
  )
})

test('a list follows the rows: a site that is unpublished breaks links to it', async () => {
  const before = await app.admin.get(`${from.api}/links`)
  const led = Object.entries(await statusesFor(app.admin)).filter(
    ([url, status]) => url.startsWith(`${at}/manual/`) && status === 'in-app',
  )
  await app.admin.post(`${sites}/${first.id}/unpublish`)
  const after = await app.admin.get(`${from.api}/links`, {
    'if-none-match': before.headers.get('etag') ?? '',
  })

  assert.is(after.status, 200)
  assert.is(after.body.stats.broken.total, before.body.stats.broken.total + led.length)
  assert.is((await statusesFor(app.admin))[`${at}/manual/`], 'broken')
  await app.admin.post(`${sites}/${first.id}/publish`)
})

test('a change request is told of the links to sites that it breaks', async () => {
  const { id } = (await app.admin.post(`${from.api}/change-requests`, { subject: 'More' })).body
  const path = `${from.api}/change-requests/${id}`
  const document = { markdown: `[a](${at}/manual/) [b](${at}/gone/)\n` }
  const changes = [{ operation: 'insert_page', title: 'More', document }]
  assert.is((await app.admin.post(`${path}/content`, { changes })).status, 200)
  const { items, stats } = (await app.admin.get(`${path}/links?brokenContext=change-request`)).body

  assert.equal(
    items.map(({ link }: Reply['body']) => link.target),
    [`${at}/gone/`],
  )
  assert.is(stats.broken.changeRequest, 1)
})

test.run()
