import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Oid } from '../../src/lib/oid.ts'
import {
  type Feedback,
  listPageRatings,
  recordFeedback,
} from '../../src/store/sites/page-feedback.ts'
import { deleteSite } from '../../src/store/sites/sites.ts'
import { query } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { publishedSite } from '../support/sites.ts'

const app = await startApp()
const { store } = app.ctx
test.after(() => app.stop())

async function newSite() {
  const { space } = await makeSpace(app, { 'README.md': '# Home\n' })
  const site = await publishedSite(app, [space.id])
  const row = store.get(query.selectFrom('site_space').select('id').where('site_id', '=', site.id))
  const give = (reader: string, rating: Feedback['rating'], set: Partial<Feedback> = {}) =>
    recordFeedback(store, {
      site_id: site.id,
      site_space_id: row?.id ?? '',
      page_id: 'page',
      reader,
      day: '2026-01-01',
      revision: 'one' as Oid,
      rating,
      ...set,
    })

  const ratings = (filter: { from?: string; to?: string } = {}) =>
    listPageRatings(store, { siteId: site.id, ...filter }, 10).map(
      ({ page_id, yes, partly, no }) => [page_id, yes, partly, no],
    )

  return { site, give, ratings }
}

const readers = () => store.all(query.selectFrom('page_feedback_reader').select(['reader', 'day']))

test('a reader counts once per page and day, with the last answer', async () => {
  const { give, ratings } = await newSite()
  give('a', 'yes')
  give('a', 'yes')
  give('b', 'yes')
  assert.equal(ratings(), [['page', 2, 0, 0]])
  give('a', 'no', { revision: 'two' as Oid })
  assert.equal(ratings(), [['page', 1, 0, 1]])
  give('a', 'partly', { page_id: 'other' })
  assert.equal(ratings(), [
    ['other', 0, 1, 0],
    ['page', 1, 0, 1],
  ])
})

test('digests of readers are deleted with the day, and counts stay', async () => {
  const { give, ratings } = await newSite()
  give('a', 'yes')
  give('a', 'yes', { day: '2026-01-02' })
  assert.equal(ratings(), [['page', 2, 0, 0]])
  assert.equal(ratings({ from: '2026-01-02' }), [['page', 1, 0, 0]])
  assert.equal(ratings({ to: '2025-12-31' }), [])
  assert.equal(
    readers().map(({ day }) => day),
    ['2026-01-02'],
  )
})

test('answers go with their site', async () => {
  const { site, give, ratings } = await newSite()
  give('a', 'yes', { day: '2026-01-03' })
  deleteSite(store, site.id)
  assert.equal(ratings(), [])
  assert.equal(readers(), [])
})

test.run()
