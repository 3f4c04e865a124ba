import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Reader } from '../../../src/access/asker.ts'
import { findReader } from '../../../src/access/reader.ts'
import { findForReader } from '../../../src/actions/audience/finding/find-for-reader.ts'
import { searchTerms } from '../../../src/content/search/words.ts'
import { jobs } from '../../../src/jobs/all.ts'
import { findSpaces } from '../../../src/store/spaces/spaces.ts'
import { searchableSite } from '../../actions/finding/searchable.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { publishedSite, readerOf, readingToken } from '../../support/sites.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const varying = '# Page\n\nAn ocelot{% if visitor.claims.beta %} of the beta{% endif %}.\n'

/**
 * Creates a space with one page that is the same for all readers and some that depend on the
 * visitor, and indexes it.
 */
async function indexed(count: number): Promise<string> {
  const files: Record<string, string> = { 'README.md': '# Home\n\nAn ocelot.\n' }
  for (let n = 0; n < count; n++) files[`page-${n}.md`] = `${varying}${n}\n`
  const { space } = await makeSpace(app, files)
  const signal = new AbortController().signal
  await jobs['index-search']!(app.ctx, { spaceId: space.id }, { signal, attempt: 1 })
  return space.id
}

test('a search of several spaces evaluates pages up to one limit for all spaces', async () => {
  const ids = [await indexed(3), await indexed(3), await indexed(3)]
  const site = await publishedSite(app, ids, { adaptive: 1 })
  const reader = findReader(app.ctx, readingToken(app, site.id)) as Reader
  const spaces = [...findSpaces(app.ctx.store, ids).values()]
  const wanted = {
    terms: searchTerms('ocelot'),
    query: 'ocelot',
    signal: new AbortController().signal,
  }

  for (const [left, most] of [
    [0, 0],
    [4, 4],
    [100, 9],
  ] as const) {
    const evaluations = { left }
    const found = await findForReader(app.ctx, reader, spaces, wanted, evaluations)
    assert.is(evaluations.left, left - most)
    const pages = found.flatMap(space => space.pages)
    // Only an evaluated page has the sections of its text.
    assert.is(pages.filter(({ sections }) => sections).length, most)
    assert.is(pages.filter(({ sections }) => !sections).length, 3)
  }
})

test('a search of a site finds no pages that depend on the visitor after 200 evaluated ones', async () => {
  const ids = [await indexed(200), await indexed(1)]
  const site = await publishedSite(app, ids, { adaptive: 1 })
  const reader = readerOf(app, site.id)
  const paths = async (scope: object): Promise<string[]> => {
    const answer = await reader.post(`/v1/orgs/acme/sites/${site.id}/search`, {
      query: 'ocelot',
      scope,
    })
    assert.is(answer.status, 200, answer.text)
    const item = answer.body.items.find(({ id }: { id: string }) => id === ids[1])
    return item.pages.map(({ path }: { path: string }) => path).sort()
  }
  const { body } = await app.admin.get(`/v1/orgs/acme/sites/${site.id}/site-spaces`)
  const second = body.items.find(({ space }: { space: { id: string } }) => space.id === ids[1])

  assert.equal(await paths({ mode: 'specific', siteSpaceIds: [second.id] }), ['page-0', 'readme'])
  assert.equal(await paths({ mode: 'all' }), ['readme'])
})

test('a search with a corrected word evaluates as many pages as one without', async () => {
  const varied = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `page-${n}.md`,
      `# Potoroo ${n}\n\nA numbat.{% if visitor.claims.beta %} Beta.{% endif %}\n`,
    ]),
  )
  const space = { 'README.md': '# Home\n', ...varied }
  const { search } = await searchableSite(app, [space, space, space])
  const { suggestion, count } = await search('potorooo numbat')
  const { count: without } = await search('potoroo numbat')
  assert.equal([suggestion, count, without], ['potoroo numbat', 75, 75])
})

test.run()
