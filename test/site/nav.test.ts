import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

test('the list below an entry is sent as a fragment: of a page, the first page, and a link', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Home](README.md)\n  * [News](news.md)\n* [Guide](guide/README.md)\n  * [Install it](guide/install.md)\n* [Elsewhere](https://example.org/)\n  * [Near](near.md)\n* [Last](last.md)\n',
    'news.md': '# News\n',
    'guide/README.md': '# Guide\n',
    'guide/install.md': '# Install it\n',
    'near.md': '# Near\n',
    'last.md': '# Last\n',
  })
  const { text } = await openPage(app, `${base}last`)
  const fragments = [...text.matchAll(/data-fragment="([^"]+)"/g)].map(([, address = '']) => address)
  assert.is(fragments.length, 3)
  for (const [at, title] of ['News', 'Install it', 'Near'].entries()) {
    const list = await openPage(app, fragments[at]!)
    assert.is(list.status, 200, fragments[at])
    assert.match(list.text, `<span>${title}</span>`)
    assert.not.match(list.text, '<html')
  }
})

test.run()
