import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { randomId } from '../../../src/lib/digest.ts'
import { insertSection } from '../../../src/store/sites/sections.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { updateSpace } from '../../../src/store/spaces/spaces.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { holdSearch } from '../../support/hold-search.ts'

const app = await startApp()
holdSearch(app.ctx)
const reader = app.user('Rae', 'read')
const guest = app.user('Gus', null)
test.after(() => app.stop())

const titles = ['English', 'Deutsch', 'Old', 'Shop', 'Laden', 'Empty'] as const
type Title = (typeof titles)[number]

const spaces = new Map<Title, string>()
const siteSpaces = new Map<Title, string>()
for (const title of titles) {
  const text = title === 'Empty' ? '# Home\n' : `# Home\n\nAn ocelot of ${title}.\n`
  const { space } = await makeSpace(app, { 'README.md': text, 'ocelot.md': text }, title)
  await jobs['index-search']!(
    app.ctx,
    { spaceId: space.id },
    { signal: new AbortController().signal, attempt: 1 },
  )
  spaces.set(title, space.id)
}
const languages = { English: 'en', Deutsch: 'de', Shop: 'en', Laden: 'de' }
for (const [title, language] of Object.entries(languages))
  updateSpace(app.ctx.store, spaces.get(title as Title)!, { language })
// A space with hits that is on no site.
await makeSpace(app, { 'README.md': '# Home\n\nAn ocelot.\n' }, 'Outside')

const { id: siteId } = (
  await app.admin.post('/v1/orgs/acme/sites', { spaces: [...spaces.values()] })
).body
const at = app.ctx.now().toISOString()
const [docs, shop] = ['docs', 'shop'].map((path, position) =>
  insertSection(app.ctx.store, {
    id: randomId(),
    site_id: siteId,
    title: path,
    path,
    position,
    created_at: at,
  }),
)
for (const row of readStructure(app.ctx.store, siteId).siteSpaces) {
  const [title] = [...spaces].find(([, id]) => id === row.space_id)!
  siteSpaces.set(title, row.id)
  const section = ['Shop', 'Laden'].includes(title) ? shop : docs
  updateSiteSpace(app.ctx.store, row.id, { section_id: section!.id })
}
updateSite(app.ctx.store, siteId, { default_section_id: docs!.id, default_site_space_id: null })

const path = `/v1/orgs/acme/sites/${siteId}/search`
const idOf = (title: Title) => siteSpaces.get(title)!

/** The titles of the spaces that a search finds, sorted; the status of a refusal. */
async function found(body: object, by: Actor = reader): Promise<string[] | number> {
  const answer = await by.post(path, { query: 'ocelot', ...body })
  if (answer.status !== 200) return answer.status
  return answer.body.items.map((item: { title: string }) => item.title).sort()
}

const all = ['Deutsch', 'English', 'Laden', 'Old', 'Shop']

test('a search of all site spaces finds the spaces with hits, with their ids and pages', async () => {
  const answer = await reader.post(path, { query: 'ocelot', scope: { mode: 'all' } })
  assert.is(answer.status, 200, answer.text)
  const [first] = answer.body.items
  assert.is(first.id, spaces.get(first.title))
  assert.equal(first.pages.map((page: { path: string }) => page.path).sort(), ['ocelot', 'readme'])
  assert.is(answer.body.count, 5)
  assert.equal(await found({ scope: { mode: 'all' } }), all)
  assert.equal(await found({ query: 'shop', scope: { mode: 'all' } }), ['Shop'])
  assert.equal(await found({ query: '...', scope: { mode: 'all' } }), [])
})

test('a search of specific site spaces covers only these', async () => {
  const siteSpaceIds = [idOf('Old'), idOf('Laden'), idOf('Old'), idOf('Empty')]
  assert.equal(await found({ scope: { mode: 'specific', siteSpaceIds } }), ['Laden', 'Old'])
})

test('a default search covers the defaults of all sections, in the language of the current site space', async () => {
  assert.equal(await found({ scope: { mode: 'default' } }), ['English', 'Shop'])
  const from = (title: Title) =>
    found({ scope: { mode: 'default', currentSiteSpace: idOf(title) } })
  assert.equal(await from('Deutsch'), ['Deutsch', 'Laden'])
  assert.equal(await from('Laden'), ['Deutsch', 'Laden'])
  assert.equal(await from('Old'), ['English', 'Old', 'Shop'])
  const restricted = (restrictTo: string, currentSiteSpace?: string) =>
    found({ scope: { mode: 'default', currentSiteSpace, restrictTo } })
  assert.equal(await restricted('currentSiteSpace', idOf('Old')), ['Old'])
  assert.equal(await restricted('otherSiteSpaces', idOf('Old')), ['English', 'Shop'])
  const alone = { query: 'ocelot', scope: { mode: 'default', restrictTo: 'currentSiteSpace' } }
  assert.is((await reader.post(path, alone)).status, 400)
})

test('the deprecated forms of the body are understood', async () => {
  assert.equal(await found({ mode: 'all' }), all)
  assert.equal(await found({ siteSpaceIds: [idOf('Old')] }), ['Old'])
  assert.equal(await found({ mode: 'specific', siteSpaceIds: [idOf('Old')] }), ['Old'])
  assert.equal(await found({ mode: 'current', siteSpaceId: idOf('Deutsch') }), ['Deutsch', 'Laden'])
})

test('wrong bodies and unknown site spaces are refused', async () => {
  const wrong = [
    {},
    { scope: { mode: 'none' } },
    { scope: { mode: 'all', siteSpaceIds: [idOf('Old')] } },
    { scope: { mode: 'specific', siteSpaceIds: [] } },
    { scope: { mode: 'all' }, mode: 'all' },
    { mode: 'current' },
    { mode: 'all', query: '' },
    { mode: 'all', query: 'o'.repeat(513) },
    { mode: 'all', limit: 1 },
  ]

  for (const body of wrong) assert.is(await found(body), 400, JSON.stringify(body))
  assert.is(await found({ scope: { mode: 'specific', siteSpaceIds: [spaces.get('Old')] } }), 404)
  assert.is(await found({ mode: 'current', siteSpaceId: 'none' }), 404)
})

test('a guest searches only the spaces that they may read', async () => {
  assert.is(await found({ mode: 'all' }, guest), 404)
  const role = { role: 'read', users: ['gus'] }
  assert.is((await app.admin.post(`/v1/spaces/${spaces.get('Old')}/permissions`, role)).status, 204)
  assert.equal(await found({ mode: 'all' }, guest), ['Old'])
  assert.is(await found({ siteSpaceIds: [idOf('Shop')] }, guest), 404)
})

test('pages of results follow one another, and a cursor is good for one search', async () => {
  const body = { query: 'ocelot', scope: { mode: 'all' } }
  const titles: string[] = []
  let next = ''
  let cursor = ''

  do {
    const answer = await reader.post(`${path}?limit=2${next}`, body)
    assert.is(answer.status, 200, answer.text)
    assert.is(answer.body.count, answer.body.items.length)
    titles.push(...answer.body.items.map((item: { title: string }) => item.title))
    cursor = answer.body.next?.page ?? ''

    if (cursor && !next) {
      const other = await reader.post(`${path}?page=${cursor}`, { ...body, query: 'home' })
      assert.is(other.status, 400)
    }

    next = `&page=${cursor}`
  } while (cursor)

  assert.equal(titles.sort(), all)
})

test('the default search of a site without sections covers its default and the current site space', async () => {
  const among = (['Old', 'Shop', 'Deutsch'] as const).map(title => spaces.get(title))
  const { id } = (await app.admin.post('/v1/orgs/acme/sites', { spaces: among })).body
  const rows = readStructure(app.ctx.store, id).siteSpaces
  const search = async (scope: object) =>
    (await reader.post(`/v1/orgs/acme/sites/${id}/search`, { query: 'ocelot', scope })).body.items
      .map((item: { title: string }) => item.title)
      .sort()

  assert.equal(await search({ mode: 'default' }), ['Old'])
  assert.equal(await search({ mode: 'default', currentSiteSpace: rows[1]!.id }), ['Shop'])
})

test.run()
