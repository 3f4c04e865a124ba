import { decodeHTML } from 'entities'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../src/jobs/all.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { holdSearch } from '../support/hold-search.ts'
import { publishedSite } from '../support/sites.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, makeAdaptive } from './visitors.ts'

const app = await siteApp()
const { ctx } = app
holdSearch(ctx)
test.after(() => app.stop())

const index = (spaceId: string): Promise<unknown> =>
  jobs['index-search']!(ctx, { spaceId }, { signal: new AbortController().signal, attempt: 1 })

test('a hit on a landing page links to its own address, in each space of a site', async () => {
  const list = '# Table of contents\n\n* [Start](start.md)\n* [Other](other.md)\n'
  const files = {
    'SUMMARY.md': list,
    'start.md': '# Start\n\n## Deep\n\nFindme.\n',
    'other.md': '# Other\n',
  }

  const inferred = {
    'SUMMARY.md': '* [Home](README.md)\n',
    'README.md': '# Home\n\nFindme, too.\n',
  }
  const [one, other] = [await makeSpace(app, files, 'One'), await makeSpace(app, inferred, 'Other')]
  const site = await publishedSite(app, [one.space.id, other.space.id], { visibility: 'public' })

  for (const { space } of [one, other]) await index(space.id)
  const base = `/sites/acme/${site.basename}/`
  const found = []

  for (const path of [base, `${base}other/`]) {
    const { text } = await openPage(app, `${path}~gitbook/search?q=findme&part=1`)
    found.push(...[...text.matchAll(/<a[^>]* href="([^"]*)"/g)].map(([, href]) => href!))
  }

  assert.ok(found.includes(`${base}#deep`), found.join())
  for (const href of found) assert.is((await openPage(app, href.split('#')[0]!)).status, 200, href)
})

/**
 * Creates a site with the section "Handbook", whose variants are "v2" and "v1", and the section
 * "API".
 */
async function sectionedSite(): Promise<string> {
  const page = (text: string) => ({ 'README.md': `# Start\n\n${text}\n` })
  const [v2, v1, api] = [
    await makeSpace(app, page('Common newword, the commonword of many words in a text.'), 'v2'),
    await makeSpace(app, page('Common oldword.'), 'v1'),
    await makeSpace(app, { 'README.md': '# Commonword\n\nCommon apiword.\n' }, 'Calls'),
  ]

  for (const { space } of [v2, v1, api]) await index(space.id)
  const site = await publishedSite(app, [v2.space.id], { visibility: 'public' })
  const path = `/v1/orgs/acme/sites/${site.id}`
  const added = await app.admin.post(`${path}/sections`, { spaceId: api.space.id, title: 'API' })

  assert.is(added.status, 201, added.text)
  const sections = (await app.admin.get(`${path}/sections`)).body.items
  const sectionId = sections.find(({ path }: { path: string }) => path !== 'api').id

  assert.is(
    (await app.admin.patch(`${path}/sections/${sectionId}`, { title: 'Handbook' })).status,
    200,
  )
  const variant = await app.admin.post(`${path}/site-spaces`, { spaceId: v1.space.id, sectionId })

  assert.is(variant.status, 201, variant.text)

  return `/sites/acme/${site.basename}/`
}

type Filter = { title: string; href: string; current: boolean }

const filtersIn = (html: string): Filter[][] =>
  [
    ...(/<nav class="filters"[^>]*>(.*?)<\/nav>/s.exec(html)?.[1] ?? '').matchAll(
      /<div>(.*?)<\/div>/gs,
    ),
  ].map(([, list = '']) =>
    [...list.matchAll(/<a href="([^"]*)"( aria-current="true")?>([^<]*)</g)].map(
      ([, href, current, title]) => ({
        title: title!,
        href: decodeHTML(href!),
        current: current !== undefined,
      }),
    ),
  )

const hitsIn = (html: string): string[] =>
  [...html.matchAll(/<small class="where">([^<]*)<\/small><b>([^<]*)</g)].map(
    ([, where, title]) => `${where}: ${title}`,
  )

test('a search can be limited to a section and to a variant', async () => {
  const base = await sectionedSite()
  const first = (await openPage(app, `${base}~gitbook/search?q=oldword&part=1`)).text
  assert.equal(hitsIn(first), [])
  const [sections = [], variants = []] = filtersIn(first)
  const shown = (filters: Filter[]) =>
    filters.map(({ title, current }) => (current ? `[${title}]` : title))

  assert.equal(shown(sections), ['[Everywhere]', 'Handbook', 'API'])
  assert.equal(shown(variants), ['[v2]', 'v1'])
  const { text } = await openPage(app, variants[1]!.href)

  assert.equal(hitsIn(text), ['Handbook / v1: Start'])
  assert.equal(filtersIn(text).map(shown), [
    ['Everywhere', '[Handbook]', 'API'],
    ['v2', '[v1]'],
  ])
  assert.match(text, /<input type="hidden" name="in" value="v2\/v1-1"/)
  const api = await openPage(app, filtersIn(text)[0]![2]!.href)

  assert.equal(hitsIn(api.text), [])
  assert.equal(filtersIn(api.text).map(shown), [['Everywhere', 'Handbook', '[API]']])
  const fromApi = (await openPage(app, `${base}api/~gitbook/search?q=common`)).text

  assert.equal(filtersIn(fromApi).map(shown), [['[Everywhere]', 'API', 'Handbook']])
  const unknown = (await openPage(app, `${base}~gitbook/search?q=common&in=nowhere/v9`)).text

  assert.equal(filtersIn(unknown).map(shown)[0], ['[Everywhere]', 'Handbook', 'API'])
})

test('the pages of the open section come first', async () => {
  const base = await sectionedSite()
  const from = async (path: string) =>
    hitsIn((await openPage(app, `${base}${path}~gitbook/search?q=commonword`)).text)
  assert.equal(await from(''), ['Handbook: Start', 'API: Commonword'])
  assert.equal(await from('api/'), ['API: Commonword', 'Handbook: Start'])
})

test('a site without sections offers its variants', async () => {
  const [one, other] = [
    await makeSpace(app, { 'README.md': '# One\n' }, 'One'),
    await makeSpace(app, { 'README.md': '# Other\n\nOldword.\n' }, 'Other'),
  ]

  for (const { space } of [one, other]) await index(space.id)
  const site = await publishedSite(app, [one.space.id, other.space.id], { visibility: 'public' })
  const { text } = await openPage(app, `/sites/acme/${site.basename}/~gitbook/search?q=oldword`)
  const [variants = []] = filtersIn(text)

  assert.equal(
    variants.map(({ title, current }) => [title, current]),
    [
      ['One', true],
      ['Other', false],
    ],
  )
  assert.equal(hitsIn((await openPage(app, variants[1]!.href)).text), ['Other: Other'])
})

test('the results of a search are kept for a minute, of a private site by the browser alone', async () => {
  const made = await insertPublicSite(app, { 'README.md': '# Home\n\nFindme.\n' })
  await index(made.space)
  const ageOf = async (base: string, headers = {}) =>
    (await openPage(app, `${base}~gitbook/search?q=findme&part=1`, headers)).headers.get(
      'cache-control',
    )

  assert.is(await ageOf(made.base), 'public, max-age=60')
  const again = await openPage(app, `${made.base}~gitbook/search?q=findme`)
  const etag = again.headers.get('etag') ?? ''
  const known = await openPage(app, `${made.base}~gitbook/search?q=findme`, {
    'if-none-match': etag,
  })

  assert.is(known.status, 304)
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({}))

  await changeAudience(app, made, 'visitor-auth')
  assert.is(await ageOf(made.base, { cookie }), 'private, max-age=60')
  assert.is(await ageOf(await changeAudience(app, made, 'share-link')), 'private, no-store')
})

test.run()
