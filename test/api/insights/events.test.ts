import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { indexSearch } from '../../../src/jobs/index-search.ts'
import { deleteSite } from '../../../src/store/sites/sites.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { Browser } from '../../support/http/browser.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
const { store, siteEvents } = app.ctx
test.after(() => app.stop())

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  accept: 'text/html',
}

async function newSite() {
  const { space } = await makeSpace(app, {
    'README.md': '# Home\n\nWelcome.\n',
    'install.md': '# Install\n\nRun the installer.\n',
  })
  const site = await publishedSite(app, [space.id])
  const { signal } = new AbortController()
  await indexSearch(app.ctx, { spaceId: space.id }, { signal, attempt: 1 })
  const { id } = store.get(
    query.selectFrom('site_space').select('id').where('site_id', '=', site.id),
  )!
  const address = (await app.admin.get(`/v1/orgs/acme/sites/${site.id}`)).body.urls.published
  const insights = `/v1/orgs/acme/sites/${site.id}/insights/events`
  const read = async (path: string, headers: Record<string, string> = browser) => {
    const answer = await fetch(new URL(path, address), {
      headers: { connection: 'close', ...headers },
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const sums = async (body: object) => {
    siteEvents.write('all')
    const reply = await app.admin.post(`${insights}/aggregate`, { range: 'last7Days', ...body })
    assert.is(reply.status, 200, reply.text)
    return reply.body.columns
  }
  const { body } = await app.admin.get(`/v1/spaces/${space.id}/content/pages`)
  return { site, space, siteSpace: id, insights, read, sums, pages: body.pages, address }
}

const count = { column: 'eventsCount' }

test('views of pages are counted, computed and kept ones, without programs', async () => {
  const { read, sums, pages, space } = await newSite()
  for (let n = 0; n < 3; n++) assert.is(await read('install'), 200)
  assert.is(await read(''), 200)
  for (const agent of ['Googlebot/2.1', 'curl/8.0', 'Mozilla/5.0 (compatible; GPTBot/1.2)', 'node'])
    assert.is(await read('install', { ...browser, 'user-agent': agent }), 200)
  await read('install', { ...browser, 'sec-purpose': 'prefetch' })
  await read('no-such-page')

  const columns = await sums({
    groupBy: [{ column: 'page' }],
    order: { by: count, direction: 'desc' },
    where: [{ column: 'eventType', values: ['page_view'] }],
  })
  const [home, install] = pages
  assert.equal(columns, [
    {
      column: 'page',
      values: [
        { page: install.id, space: space.id },
        { page: home.id, space: space.id },
      ],
    },
    { column: 'eventsCount', values: [3, 1] },
  ])
  const today = new Date(app.ctx.store.time).toISOString().slice(0, 10)
  const byDay = await sums({ groupBy: [{ column: 'datetime' }] })
  assert.equal(byDay[0].values, [`${today}T00:00:00.000Z`])
  const [month] = await sums({ groupBy: [{ column: 'datetime', interval: 'month' }] })
  assert.equal(month.values, [`${today.slice(0, 7)}-01T00:00:00.000Z`])
})

test('words with control characters do not stop the sums from being written', async () => {
  const { read, sums } = await newSite()
  await read(`~gitbook/search?q=${encodeURIComponent('zero\0one\ntwo')}`)
  const [words] = await sums({ groupBy: [{ column: 'eventSearchQuery' }] })
  assert.equal(words.values, ['zero one two'])
})

test('searches are counted, of those that are typed the last words', async () => {
  const { read, sums } = await newSite()
  await read('~gitbook/search?q=Installer')
  await read('~gitbook/search?q=zebra')
  for (const q of ['u', 'unk', 'unknown', 'unknow', 'unknown'])
    await read(`~gitbook/search?part=1&q=${q}`)
  await read('~gitbook/search?part=1&q=other')
  const wordsOf = async (where: object[]) =>
    (
      await sums({
        groupBy: [{ column: 'eventSearchQuery' }],
        order: { by: { column: 'eventSearchQuery' }, direction: 'asc' },
        where,
      })
    ).map(({ values }: { values: unknown[] }) => values)
  assert.equal(await wordsOf([]), [
    ['installer', 'other', 'unknown', 'zebra'],
    [1, 1, 1, 1],
  ])
  assert.equal(await wordsOf([{ column: 'eventSearchFound', values: [false] }]), [
    ['other', 'unknown', 'zebra'],
    [1, 1, 1],
  ])
})

test('programs that show a site send its events, without making rows for other sites', async () => {
  const { site, siteSpace, insights, sums, pages } = await newSite()
  const other = await newSite()
  const reader = readerOf(app, site.id)
  const event = (location: object, more: object = {}) => ({
    type: 'page_view',
    session: { visitorId: 'v', cookies: { a: 'b' }, ip: '192.0.2.1' },
    location: { url: 'https://x.example/', ...location },
    ...more,
  })
  const events = [
    event({ siteSpace, page: pages[0].id }),
    event({ siteSpace: other.siteSpace, page: pages[0].id }),
    event({}, { type: 'search_type_query', query: ' Two  Words ' }),
  ]
  assert.is((await reader.post(insights, { events })).status, 204)
  assert.is((await readerOf(app, other.site.id).post(insights, { events })).status, 404)
  assert.is((await app.anonymous.post(insights, { events })).status, 401)
  const old = [event({}, { timestamp: '2020-01-01T00:00:00Z' })]
  assert.is((await reader.post(insights, { events: old })).status, 400)
  const columns = await sums({ groupBy: [{ column: 'siteSpace' }, { column: 'eventSearchQuery' }] })
  assert.equal(
    columns.map(({ values }: { values: unknown[] }) => values),
    [
      [null, null, siteSpace],
      ['', 'two words', ''],
      [1, 1, 1],
    ],
  )
  const text = JSON.stringify(store.all(query.selectFrom('site_event').selectAll()))
  assert.not.match(text, /192\.0\.2|"v"/)
})

test('columns that are not stored are refused, and those that are not grouped by', async () => {
  const { insights } = await newSite()
  for (const [body, message] of [
    [
      { range: 'last7Days', groupBy: [{ column: 'visitorGeoCountry' }] },
      /nothing else of a reader is stored/,
    ],
    [
      { range: 'last7Days', groupBy: [{ column: 'datetime', interval: 'hour' }] },
      /takes \\"day\\" or \\"month\\"/,
    ],
    [{ range: 'last7Days', select: [{ column: 'page' }] }, /name it in \\"groupBy\\"/],
    [{ range: 'last7Days', groupBy: [count] }, /cannot be in \\"groupBy\\"/],
  ] as const) {
    const reply = await app.admin.post(`${insights}/aggregate`, body)
    assert.is(reply.status, 400)
    assert.match(reply.text, message)
  }
  assert.is(
    (await app.user('Rita', 'read').post(`${insights}/aggregate`, { range: 'lastYear' })).status,
    403,
  )
})

test('the rows of a day are limited, and the rest is summed up', async () => {
  const { site, siteSpace, sums } = await newSite()
  const event = {
    siteId: site.id,
    kind: 'page_view',
    siteSpaceId: siteSpace,
    words: '',
    isNothing: false,
  }
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 1_500; n++) siteEvents.note({ ...event, pageId: `p${round}-${n}` })
    siteEvents.write()
  }
  for (let n = 0; n < 3_000; n++) siteEvents.note({ ...event, kind: 'link_click', pageId: `p${n}` })
  siteEvents.write()
  const rows = store.all(query.selectFrom('site_event').selectAll().where('site_id', '=', site.id))
  const sumOf = (kind: string) =>
    rows.filter(row => row.kind === kind).reduce((sum, row) => sum + Number(row.count), 0)
  assert.is(sumOf('page_view'), 4_500)
  assert.is(sumOf('link_click'), 3_000)
  assert.ok(rows.filter(row => row.kind === 'page_view').length <= 2_001)
  assert.ok(rows.filter(row => row.kind === 'link_click').length <= 2_001)
  const [total] = await sums({ select: [count] })
  assert.equal(total.values, [7_500])
})

test('events of a site that is deleted meanwhile are dropped, and the others are written', async () => {
  const [gone, kept] = [await newSite(), await newSite()]
  for (const { site, siteSpace } of [gone, kept])
    siteEvents.note({
      ...{ siteId: site.id, kind: 'page_view', siteSpaceId: siteSpace },
      ...{ pageId: 'p', words: '', isNothing: false },
    })
  deleteSite(store, gone.site.id)
  const [total] = await kept.sums({ select: [count] })
  assert.equal(total.values, [1])
})

test('an admin of a site sees in the workbench what readers do', async () => {
  const { site, read } = await newSite()
  await read('install')
  await read('~gitbook/search?q=zebra')
  siteEvents.write('all')
  const user = new Browser(app.url)
  await user.signIn(app.admin.token)
  const { text } = await user.get(`/app/sites/acme/${site.id}/reads`)
  assert.match(text, /1 views of pages/)
  assert.match(text, /Install<\/a>/)
  assert.match(text, /zebra/)
})

test.run()
