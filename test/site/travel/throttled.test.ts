import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const perMinute = 40
const app = await siteApp({
  STEMMA_MAX_REQUESTS_PER_MINUTE: String(perMinute),
  STEMMA_TRUST_PROXY: '1',
})
test.after(() => app.stop())

const { base, space } = await insertPublicSite(
  app,
  { 'README.md': '# Home\n', 'open.md': '# Open\n' },
  { time_travel: 'readers' },
)
const { pages } = (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body
const history = `${base}~stemma/history/${pages[1].id}`

/** Opens addresses as one client, each of them once. Returns the status of each. */
async function statusesOf(
  address: string,
  count: number,
  path: (at: number) => string,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (let at = 0; at < count; at++) {
    const { status } = await openPage(app, path(at), { 'x-forwarded-for': address })
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}

test('a client reads a limited number of histories and earlier versions together', async () => {
  await withStoppedClock(async () => {
    // Each address is another, so that no kept page answers it.
    const path = (at: number) =>
      at % 2 === 0 ? `${history}?before=${1_000 + at}` : `${base}~/revisions/2020-01-01/?${at}`
    const counts = await statusesOf('192.0.2.1', perMinute + 10, path)
    assert.ok((counts.get(429) ?? 0) >= 5, JSON.stringify([...counts]))
    assert.ok((counts.get(200) ?? 0) >= perMinute / 2 - 5)
    const page = await openPage(app, `${history}?before=7`, {
      'x-forwarded-for': '192.0.2.1',
      accept: 'text/html',
    })

    assert.is(page.status, 429)
    assert.match(page.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(
      await statusesOf('192.0.2.2', 2, path),
      new Map([
        [200, 1],
        [404, 1],
      ]),
    )
    assert.is((await openPage(app, `${base}open`, { 'x-forwarded-for': '192.0.2.1' })).status, 200)
  })
})

test('histories that a site does not open to readers are not counted', async () => {
  const other = await insertPublicSite(app, { 'README.md': '# Home\n' })
  const counts = await statusesOf(
    '192.0.2.3',
    perMinute + 10,
    at => `${other.base}~stemma/history/x?${at}`,
  )
  assert.equal(counts, new Map([[404, perMinute + 10]]))
})

test.run()
