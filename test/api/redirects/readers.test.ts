import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { insertRedirect } from '../../../src/store/sites/redirects.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import type { RedirectDestination } from '../../../src/store/tables/sites.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { previewOf, publishedSite, readerOf } from '../../support/sites.ts'
import { putTeamSchema } from '../reading/house.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const only = (team: string) => `---\nif: visitor.claims.team === "${team}"\n---\n`
const mixed =
  '# Mixed\n\n{% if visitor.claims.team === "a" %}\nAn ocelot and a lynx.\n{% endif %}\n\nAn emu.\n'
const files = {
  'README.md': '# Home\n\nA gnu.\n',
  'secret.md': `${only('a')}# Secret\n\nAn ocelot.\n`,
  'mixed.md': mixed,
}
const { space: adaptive, api } = await makeSpace(app, files, 'Adaptive')
const { space: plain } = await makeSpace(app, { 'README.md': '# Home\n\nAn emu.\n' }, 'Plain')
const { space: hidden } = await makeSpace(app, { 'README.md': '# Home\n\nAn emu.\n' }, 'Hidden')
for (const { id: spaceId } of [adaptive, plain, hidden])
  await jobs['index-search']!(
    app.ctx,
    { spaceId },
    { signal: new AbortController().signal, attempt: 1 },
  )

const site = await publishedSite(
  app,
  [adaptive, plain, hidden].map(({ id }) => id),
  { adaptive: 1 },
)
putTeamSchema(app, site.id)
const siteSpaces = readStructure(app.ctx.store, site.id).siteSpaces.map(({ id }) => id) as [
  string,
  string,
  string,
]
updateSiteSpace(app.ctx.store, siteSpaces[2], { condition: 'visitor.claims.team === "a"' })

const path = `/v1/orgs/acme/sites/${site.id}`
const base = `${app.url}/sites/acme/${site.basename}/`
const a = readerOf(app, site.id, { claims: { team: 'a' } as never })
const b = readerOf(app, site.id, { claims: { team: 'b' } as never })

function redirect(source: string, destination: RedirectDestination): void {
  const row = { id: source, site_id: site.id, source, source_folded: source, created_at: '' }
  insertRedirect(app.ctx.store, { ...row, destination })
}

const targetOf = async (by: Actor, source: string, query = '') => {
  const { status, body } = await by.get(`${path}/redirect?source=${source}${query}`)
  return status === 200 ? body.target : status
}

const pages = (await app.admin.get(`${api}/content/pages`)).body.pages as {
  id: string
  path: string
}[]
const secret = pages.find(page => page.path === 'secret')!.id

test('a redirect to a page or site space that a condition hides is not found', async () => {
  redirect('/page', { kind: 'site-page', siteSpaceId: siteSpaces[0], pageId: secret })
  redirect('/space', { kind: 'site-space', siteSpaceId: siteSpaces[2] })
  redirect('/out', { kind: 'external', url: 'https://example.org/' })
  const all = async (by: Actor) => [
    await targetOf(by, '/page'),
    await targetOf(by, '/space'),
    await targetOf(by, '/out'),
  ]

  assert.equal(await all(a), [`${base}secret`, `${base}hidden/`, 'https://example.org/'])
  assert.equal(await all(b), [404, 404, 'https://example.org/'])
  const [hiddenOne, missing] = [
    await b.get(`${path}/redirect?source=/space`),
    await b.get(`${path}/redirect?source=/spice`),
  ]

  assert.is(hiddenOne.text.replace('/space', '/spice'), missing.text)
})

test('a reader resolves redirects of the own site only, and neither lists nor changes them', async () => {
  assert.is((await a.get(`${path}/redirects`)).status, 403)
  assert.is((await a.post(`${path}/redirects`, {})).status, 403)
  assert.is((await a.delete(`${path}/redirects/x`)).status, 403)
  const other = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Other' })).body.id

  assert.is((await a.get(`/v1/orgs/acme/sites/${other}/redirect?source=/out`)).status, 404)
  assert.is(
    (await a.post(`/v1/orgs/acme/sites/${other}/search`, { query: 'emu', mode: 'all' })).status,
    404,
  )
})

/** The paths of the pages that a search finds, by the titles of their spaces. */
async function found(by: Actor, query: string, body: object = { mode: 'all' }) {
  const answer = await by.post(`${path}/search`, { query, ...body })
  if (answer.status !== 200) return answer.status
  return Object.fromEntries(
    answer.body.items.map((item: { title: string; pages: { path: string }[] }) => [
      item.title,
      item.pages.map(page => page.path).sort(),
    ]),
  )
}

test('a search finds what the reader is shown, by the evaluated texts', async () => {
  assert.equal(await found(a, 'ocelot'), { Adaptive: ['mixed', 'secret'] })
  assert.equal(await found(b, 'ocelot'), {})
  assert.equal(await found(a, 'secret'), { Adaptive: ['secret'] })
  assert.equal(await found(b, 'secret'), {})
  assert.equal(await found(a, 'emu'), {
    Adaptive: ['mixed'],
    Plain: ['readme'],
    Hidden: ['readme'],
  })
  assert.equal(await found(b, 'emu'), { Adaptive: ['mixed'], Plain: ['readme'] })
  // A word that the reader is not shown is a word that no page has.
  for (const word of ['lynx', 'qqxxqq'])
    assert.equal(await found(b, `emu ${word}`), await found(b, 'emu'), word)

  // A user finds the texts as written.
  assert.equal(await found(app.admin, 'ocelot'), { Adaptive: ['mixed', 'secret'] })
})

test('a result of a search has no text that is hidden from the reader', async () => {
  const { text } = await b.post(`${path}/search`, { query: 'emu', mode: 'all' })
  assert.not.match(text, /ocelot|lynx|visitor|condition/)
})

test('a hidden site space cannot be named in a search', async () => {
  const body = { siteSpaceIds: [siteSpaces[2]] }
  assert.equal(await found(a, 'emu', body), { Hidden: ['readme'] })
  assert.is(await found(b, 'emu', body), 404)
})

test('a reader of a share link gets targets with the key of the link', async () => {
  const link = (await app.admin.post(`${path}/share-links`, { name: 'K' })).body
  const key = new URL(link.urls.published).pathname.split('/').at(-2)
  updateSite(app.ctx.store, site.id, { visibility: 'share-link' })
  const sharing = readerOf(app, site.id, { claims: { team: 'a' } as never, shareLinkId: link.id })
  assert.is(await targetOf(sharing, '/page'), `${base}${key}/secret`)
  assert.is(await targetOf(sharing, '/page', '&shareKey=wrong'), `${base}${key}/secret`)
})

test('a preview gets targets below its own base', async () => {
  const previewing = readerOf(app, site.id, {
    claims: { team: 'a' } as never,
    preview: previewOf(app, app.admin),
  })
  assert.is(await targetOf(previewing, '/page'), `${app.url}/~preview/${site.id}/secret`)
})

test.run()
