import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../src/jobs/all.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { holdSearch } from '../support/hold-search.ts'
import { publishedSite } from '../support/sites.ts'
import { openPage, siteApp } from './open-page.ts'

const app = await siteApp()
const { ctx } = app
holdSearch(ctx)
test.after(() => app.stop())

const index = (spaceId: string): Promise<unknown> =>
  jobs['index-search']!(ctx, { spaceId }, { signal: new AbortController().signal, attempt: 1 })

test('a hit on a landing page links to its own address, in each space of a site', async () => {
  const list = '# Table of contents\n\n* [Start](start.md)\n* [Other](other.md)\n'
  const files = { 'SUMMARY.md': list, 'start.md': '# Start\n\n## Deep\n\nFindme.\n', 'other.md': '# Other\n' }
  const inferred = { 'SUMMARY.md': '* [Home](README.md)\n', 'README.md': '# Home\n\nFindme, too.\n' }
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

test.run()
