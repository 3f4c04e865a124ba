import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readManual } from '../../../src/actions/manual/read-manual.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'
import { changeAudience, cookieOf, makeAdaptive } from '../visitors.ts'

const app = await siteApp()
test.after(() => app.stop())
const own = new URL(app.ctx.publicUrl()).origin

const files = {
  'README.md': '# Home\n\n[Start](guide/start.md) and [beta](beta.md#x).\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Start here](guide/start.md)\n* [Beta](beta.md)\n* [News](deep/er/news.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nBetaword.\n',
  'guide/start.md': `# Start

See [news](../deep/er/news.md?tag=api#2026), [home](../README.md), [here](start.md#part), [that](#part) and
[the site](https://example.org/x.md).

![A picture](../.gitbook/assets/a%20b.png) [![P](<../.gitbook/assets/a b.png>)](../.gitbook/assets/a%20b.png)

{% include "../.gitbook/includes/snip.md" %}

{% content-ref url="../beta.md" %}
[beta.md](../beta.md)
{% endcontent-ref %}

{% file src="../.gitbook/assets/a b.png" %}

\`\`\`md
[code](../README.md) {% include "../.gitbook/includes/snip.md" %}
\`\`\`

## Part
`,
  '.gitbook/includes/snip.md':
    '---\ntitle: Snip\n---\n\nSnipword, {% if visitor.claims.beta === true %}Betaword{% endif %} [home](../../README.md).\n',
  'deep/er/news.md': '# News\n\n[Start](../../guide/start.md)\n',
  '.gitbook/assets/a b.png': Buffer.from('no image'),
}

/** Follows every link of a Markdown text that leads to this server. Returns how many there are. */
async function followLinks(text: string, from: string, cookie = ''): Promise<number> {
  const targets = findLinks(text).map(({ target }) => target)
  for (const target of new Set(targets)) {
    if (target.startsWith('#')) continue
    assert.ok(URL.canParse(target), `${target} of ${from}`)
    const { origin, pathname, search } = new URL(target)
    if (origin !== own) continue
    const { status } = await openPage(app, pathname + search, { cookie })
    assert.is(status, 200, `${target} of ${from}`)
  }

  return targets.filter(target => target.startsWith(own)).length
}

test('links of the Markdown of a page are whole addresses, reusable content is a part of it, and code stays', async () => {
  const { base } = await insertPublicSite(app, files)
  const { text } = await openPage(app, `${base}start.md`)
  const at = own + base
  assert.match(
    text,
    `[news](${at}news.md?tag=api#2026), [home](${at}README.md), [here](#part), [that](#part)`,
  )
  assert.match(text, '[the site](https://example.org/x.md)')
  assert.match(text, `\n\nSnipword,  [home](${at}README.md).\n\n`)
  assert.match(text, `![A picture](${at}~stemma/files/`)
  assert.match(text, `{% file src="${at}~stemma/files/`)
  assert.match(
    text,
    '```md\n[code](../README.md) {% include "../.gitbook/includes/snip.md" %}\n```',
  )
  assert.not.match(text, /Betaword|\(\.\.\/beta|"\.\.\/beta/)
  assert.is(await followLinks(text, 'start'), 7)
  const negotiated = await openPage(app, `${base}start`, { accept: 'text/markdown' })

  assert.is(negotiated.text, text)
  const full = await openPage(app, `${base}llms-full.txt`)

  assert.ok(full.text.includes(text))
  await followLinks(full.text, 'llms-full.txt')
  const { text: html } = await openPage(app, `${base}start`)

  assert.match(html, `href="${base}news?tag=api#2026"`)
})

test('the Markdown of a page leads each reader where the page leads them', async () => {
  const made = await insertPublicSite(app, files)
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({ beta: true }))
  const { text } = await openPage(app, `${made.base}README.md`, { cookie })

  assert.match(text, `[beta](${own}${made.base}beta.md#x)`)
  await followLinks(text, 'README', cookie)
  assert.match((await openPage(app, `${made.base}README.md`)).text, ' and beta.')
  const base = await changeAudience(app, made, 'share-link')
  const shared = await openPage(app, `${base}start.md`)

  assert.ok((await followLinks(shared.text, 'start')) > 4)
  for (const { target } of findLinks(shared.text))
    if (target.startsWith(own)) assert.ok(target.startsWith(own + base), target)
})

test('the Markdown of the manual has no link to nowhere', async () => {
  const manual = await readManual()
  const { base } = await insertPublicSite(app, Object.fromEntries(manual))
  const { text: list } = await openPage(app, `${base}llms.txt`)
  const pages = findLinks(list).map(({ target }) => new URL(target).pathname)
  let links = 0

  for (const page of pages) {
    const { status, text } = await openPage(app, page)
    assert.is(status, 200, page)
    links += await followLinks(text, page)
  }

  assert.ok(pages.length > 15 && links > 100, `${pages.length} pages, ${links} links`)
})

test.run()
