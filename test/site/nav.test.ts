import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { cookieOf, makeAdaptive } from './visitors.ts'

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
  const fragments = [...text.matchAll(/data-fragment="([^"]+)"/g)].map(
    ([, address = '']) => address,
  )
  assert.is(fragments.length, 3)

  for (const [at, title] of ['News', 'Install it', 'Near'].entries()) {
    const list = await openPage(app, fragments[at]!)
    assert.is(list.status, 200, fragments[at])
    assert.match(list.text, `<span>${title}</span>`)
    assert.not.match(list.text, '<html')
    assert.is(list.headers.get('cache-control'), 'public, max-age=86400, immutable')
  }

  const former = await openPage(app, fragments[0]!.replace(/nav\/[^/]+/, 'nav/0123456789ab-012345'))

  assert.is(former.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
})

test('a list that may depend on its reader is asked for anew', async () => {
  const made = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n  * [Beta](beta.md)\n',
    'guide.md': '# Guide\n',
    'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n',
  })
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({ beta: true }))
  const { text } = await openPage(app, made.base, { cookie })
  const [, address = ''] = /data-fragment="([^"]+)"/.exec(text) ?? []
  const list = await openPage(app, address, { cookie })

  assert.match(list.text, 'Beta')
  assert.is(list.headers.get('cache-control'), 'private, max-age=0, must-revalidate')
})

test.run()
