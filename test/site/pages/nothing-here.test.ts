import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../support/until.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

test('a path without a page shows what its words find, or what similar words find', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'start.md': '# Start\n\nAbout the walrus and its tusks.\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Start](start.md)\n',
  })
  const open = (path: string) => openPage(app, base + path)
  const page = await until('the page is indexed', async () => {
    const page = await open('gone/walrus.html')
    assert.is(page.status, 404)
    return page.text.includes('class="plain hits"') ? page : undefined
  })
  assert.match(page.text, /<form class="field"[\s\S]*?value="walrus"/)
  assert.match(page.text, `<ol class="plain hits"><li><a href="${base}start"`)
  const similar = await open('gone/strt')
  assert.match(similar.text, `<a href="${base}~gitbook/search?q=start">start</a>`)
  assert.not.match((await open('gone/xyzzy')).text, 'class="results"')
  // A page that is named as one of the nearest is not named twice.
  assert.not.match((await open('gone/start')).text, 'class="results"')
})

test.run()
