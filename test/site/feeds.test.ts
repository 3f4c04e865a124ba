import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { commitFiles } from '../support/git/repo.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, makeAdaptive } from './visitors.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Open & shut](open.md)\n* [Beta](beta.md)\n* [Hidden](hidden.md)\n* [News](news.md)\n',
  'open.md': '# Open & shut\n\nText.\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nBetaword.\n',
  'hidden.md': '---\nhidden: true\n---\n\n# Hidden\n\nHiddenword.\n',
  'news.md': `# News

{% updates format="full" %}
{% update date="2026-02-03" tags="api,new" %}
## Faster & better

See [the page](open.md#text) and [this](#2026-01-01).

![A](.gitbook/assets/a.png)
{% endupdate %}
{% update date="2026-01-01" tags="fix" %}
Repaired.

{% if visitor.claims.beta === true %}
Betaword.
{% endif %}
{% endupdate %}
{% endupdates %}
`,
  '.gitbook/assets/a.png': Buffer.from('no image'),
}

const edit = async (space: string, changed: Record<string, string>) =>
  commitFiles(spaceRepository(ctx, space), changed)

const valuesOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, value = '']) => value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  )
const itemsOf = (xml: string): string[] =>
  [...xml.matchAll(/<item>[\s\S]*?<\/item>/g)].map(([item]) => item)

test('the feed of a space names the pages that each revision changed', async () => {
  const { base, space } = await insertPublicSite(app, files)
  const page = (await admin.get(`/v1/spaces/${space}/content/path/open`)).body
  const change = await admin.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'update_page', page: page.id, title: 'Open & more' }],
  })
  assert.ok(change.status < 300, change.text)
  const feed = await openPage(app, `${base}rss.xml`)

  assert.is(feed.status, 200)
  assert.is(feed.headers.get('content-type'), 'application/rss+xml; charset=utf-8')
  assert.match(feed.headers.get('cache-control') ?? '', 'public')
  const [latest = '', ...others] = itemsOf(feed.text)

  assert.ok(others.length > 0)
  assert.equal(valuesOf(latest, 'title'), ['Open & more'])
  assert.equal(valuesOf(latest, 'link'), [`${app.ctx.publicUrl()}${base}open`])
  assert.match(valuesOf(latest, 'description')[0] ?? '', '(changed)')
  assert.match(
    feed.text,
    `<atom:link rel="self" type="application/rss+xml" href="${app.ctx.publicUrl()}${base}rss.xml"/>`,
  )
  assert.not.match(feed.text, /Hidden|Beta/)
  const again = await openPage(app, `${base}rss.xml`, {
    'if-none-match': feed.headers.get('etag') ?? '',
  })

  assert.is(again.status, 304)
  for (const date of valuesOf(feed.text, 'pubDate')) assert.is(new Date(date).toUTCString(), date)
  const guids = valuesOf(feed.text, 'guid')

  assert.is(new Set(guids).size, guids.length)
})

test('a renamed page has its present address in earlier items', async () => {
  const text = `# One\n\n${'Words that stay the same. '.repeat(20)}\n`
  const { base, space } = await insertPublicSite(app, { 'README.md': '# Home\n', 'one.md': text })
  await edit(space, { 'one.md': `${text}More.\n` })
  await openPage(app, base)
  await commitFiles(spaceRepository(ctx, space), { 'two.md': `${text}More.\n`, 'one.md': null })
  await openPage(app, base)
  await admin.get(`/v1/spaces/${space}/revisions`)
  const items = itemsOf((await openPage(app, `${base}rss.xml`)).text)
  const kinds = items
    .map(item => valuesOf(item, 'description')[0])
    .filter(html => html?.includes('>One<'))

  assert.is(kinds.length, 3, String(kinds))
  for (const [at, kind] of ['moved', 'changed', 'new'].entries())
    assert.match(kinds[at] ?? '', new RegExp(`href="[^"]*${base}two">One</a> \\(${kind}\\)`))
})

test('every page names a feed, and one with updates its own', async () => {
  const { base } = await insertPublicSite(app, files)
  const feedIn = async (path: string) =>
    /<link rel="alternate" type="application\/rss\+xml" href="([^"]*)"/.exec(
      (await openPage(app, base + path)).text,
    )?.[1]

  assert.is(await feedIn('open'), `${base}rss.xml`)
  assert.is(await feedIn('news'), `${base}news/rss.xml`)
  const { text } = await openPage(app, `${base}news`)

  assert.match(text, `<a href="${base}news/rss.xml">Feed of updates</a>`)
  assert.match(text, '<time datetime="2026-02-03">February 3, 2026</time>')
  assert.is((await openPage(app, `${base}open/rss.xml`)).status, 404)
  assert.is((await openPage(app, `${base}nowhere/rss.xml`)).status, 404)
})

test('the feed of a page has its updates with whole addresses', async () => {
  const { base, space } = await insertPublicSite(app, files)
  const feed = await openPage(app, `${base}news/rss.xml`)
  assert.is(feed.status, 200)
  const own = `${app.ctx.publicUrl()}${base}`
  const items = itemsOf(feed.text)

  assert.is(items.length, 2)
  assert.equal(valuesOf(items[0] ?? '', 'title'), ['Faster & better'])
  assert.equal(valuesOf(items[0] ?? '', 'category'), ['api', 'new'])
  assert.equal(valuesOf(items[0] ?? '', 'link'), [`${own}news#2026-02-03`])
  assert.equal(valuesOf(items[1] ?? '', 'title'), ['January 1, 2026'])
  assert.equal(valuesOf(items[0] ?? '', 'pubDate'), ['Tue, 03 Feb 2026 00:00:00 GMT'])
  const [html = ''] = valuesOf(items[0] ?? '', 'description')

  assert.match(html, `href="${own}open#text"`)
  assert.match(html, `href="${own}news#2026-01-01"`)
  assert.match(html, `src="${own}~stemma/files/`)
  assert.not.match(html, / (?:href|src)="[/#]/)
  assert.not.match(feed.text, 'Betaword')
  const before = valuesOf(feed.text, 'guid')

  await edit(space, { 'open.md': '# Open & shut\n\nOther text.\n' })
  assert.equal(valuesOf((await openPage(app, `${base}news/rss.xml`)).text, 'guid'), before)
})

test('updates on the first page of a space have a feed, too', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': files['news.md'].replace(/!\[.*/, ''),
  })
  const feed = await openPage(app, `${base}README/rss.xml`)
  assert.is(feed.status, 200)
  assert.match((await openPage(app, base)).text, `href="${base}README/rss.xml"`)
})

test('updates are filtered by a tag in the address', async () => {
  const { base } = await insertPublicSite(app, files)
  const all = (await openPage(app, `${base}news`)).text
  assert.match(all, `<a href="${base}news" aria-current="true">All</a>`)
  assert.match(all, `<a href="${base}news?tag=fix">fix</a>`)
  const one = (await openPage(app, `${base}news?tag=fix`)).text

  assert.match(one, 'Repaired.')
  assert.not.match(one, 'Faster')
  assert.match(one, `<a href="${base}news?tag=fix" aria-current="true">fix</a>`)
  assert.match(one, /<link rel="canonical" href="[^"?]*news"/)
})

test('feeds have what their reader is shown, for every audience', async () => {
  const made = await insertPublicSite(app, files)
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({ beta: true }))
  const withClaim = await openPage(app, `${made.base}rss.xml`, { cookie })

  assert.match(withClaim.text, 'Beta')
  assert.match(withClaim.headers.get('cache-control') ?? '', 'private')
  assert.match((await openPage(app, `${made.base}news/rss.xml`, { cookie })).text, 'Betaword')

  for (const visibility of ['public', 'unlisted', 'share-link'] as const) {
    const base = await changeAudience(app, made, visibility)
    for (const path of ['rss.xml', 'news/rss.xml']) {
      const { status, text } = await openPage(app, base + path)
      assert.is(status, 200, `${visibility} ${path}`)
      assert.not.match(text, /Beta|Hidden/)
    }
  }

  assert.is((await openPage(app, `${made.base}rss.xml`)).status, 404)
  await changeAudience(app, made, 'visitor-auth')
  assert.is((await openPage(app, `${made.base}rss.xml`)).status, 401)
})

test.run()
