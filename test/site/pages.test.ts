import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome to the *guide*.\n\n![A picture](.gitbook/assets/dot.png)\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Install it](guide/install.md)\n  * [Hidden](guide/hidden.md)\n* [Elsewhere](https://example.org/)\n\n## Reference\n\n* [Options](reference/options.md)\n',
  'guide/README.md': '# Guide\n\nSee [the options](../reference/options.md#all).\n',
  'guide/install.md':
    '---\ndescription: How to install it\n---\n\n# Install it\n\n## With npm\n\n```js\nconst a = 1\n```\n',
  'guide/hidden.md': '---\nhidden: true\n---\n\n# Hidden\n\nNot in the list.\n',
  'reference/options.md': '# Options\n\n### All\n\nText.\n',
  '.gitbook/assets/dot.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}
const { base, space, site } = await insertPublicSite(app, files)
const open = (path: string, headers: Record<string, string> = {}) =>
  openPage(app, base + path, headers)

test('a page is HTML with its title, text, list of pages and neighbours', async () => {
  const page = await open('guide/install')
  assert.is(page.status, 200)
  assert.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(page.text, '<title>Install it')
  assert.match(page.text, 'How to install it')
  assert.is(page.text.match(/<h1/g)?.length, 1)
  assert.match(page.text, /<h2[^>]* id="with-npm"/)
  assert.match(page.text, /aria-current="page"[^>]*>[\s\S]*?Install it/)
  assert.match(page.text, `href="${base}guide"`)
  assert.match(page.text, `href="${base}reference/options"`)
  assert.not.match(page.text, 'Hidden')
})

test('a hidden page is read at its address', async () => {
  const page = await open('guide/hidden')
  assert.is(page.status, 200)
  assert.match(page.text, /<meta name="robots" content="noindex"/)
})

test('other spellings of an address lead to the page', async () => {
  for (const path of [
    'Guide/INSTALL',
    'guide/install/',
    'guide//install',
    'guide/install.html',
    'guide/install?x=1/',
  ]) {
    const page = await open(path)
    const query = path.includes('?') ? path.slice(path.indexOf('?')) : ''
    if (query) assert.is(page.status, 200)
    else
      assert.equal([page.status, page.headers.get('location')], [307, `${base}guide/install`], path)
  }

  assert.equal((await open('README')).headers.get('location'), base)
  const bare = await openPage(app, base.slice(0, -1))
  assert.equal([bare.status, bare.headers.get('location')], [307, base])
})

test('the Markdown of a page is at its address with ".md", and for programs that ask for it', async () => {
  const markdown = '# Options\n\n### All\n\nText.\n'
  for (const page of [
    await open('reference/options.md'),
    await open('reference/options', { accept: 'text/markdown' }),
  ]) {
    assert.equal([page.status, page.text], [200, markdown])
    assert.is(page.headers.get('content-type'), 'text/markdown; charset=utf-8')
    assert.match(page.headers.get('vary') ?? '', 'Accept')
  }

  const browser = await open('reference/options', { accept: 'text/html,text/markdown;q=0.5' })
  assert.match(browser.headers.get('content-type') ?? '', 'text/html')
  assert.match(
    browser.headers.get('link') ?? '',
    `<${base}reference/options.md>; rel="alternate"; type="text/markdown"`,
  )
})

test('an image has its size, and its file is served below the site, never under a guessed address', async () => {
  const { text } = await open('')
  const src = /<img[^>]* src="([^"]+dot\.png)"[^>]*>/.exec(text)
  assert.match(src?.[0] ?? '', 'width="1"')
  const path = src?.[1] ?? ''

  assert.ok(path.startsWith(`${base}~stemma/files/`), path)
  const image = await openPage(app, path)

  assert.equal([image.status, image.headers.get('content-type')], [200, 'image/png'])
  assert.match(image.headers.get('cache-control') ?? '', 'immutable')
  assert.match(image.headers.get('content-security-policy') ?? '', 'sandbox')
  const guessed = path.replace(/\/[\w-]{22}\//, '/AAAAAAAAAAAAAAAAAAAAAA/')

  assert.is((await openPage(app, guessed)).status, 404)
})

test('an unchanged page is answered 304, and a page is sent compressed', async () => {
  const first = await open('guide')
  const etag = first.headers.get('etag') ?? ''
  assert.is((await open('guide', { 'if-none-match': etag })).status, 304)
  const br = await open('guide', { 'accept-encoding': 'br, gzip' })
  assert.equal([br.headers.get('content-encoding'), br.headers.get('etag')], ['br', etag])
  assert.is(brotliDecompressSync(br.bytes).toString(), first.text)
  const gzip = await open('guide', { 'accept-encoding': 'gzip' })
  assert.is(gunzipSync(gzip.bytes).toString(), first.text)
})

test('a page is readable as soon as its commit is answered', async () => {
  const id = (await app.admin.get(`/v1/spaces/${space}/content/path/reference/options`)).body.id
  assert.match((await open('reference/options')).text, 'Text.')
  const changes = [
    { operation: 'update_page', page: id, document: { markdown: '# Options\n\nOther words.\n' } },
  ]
  const edited = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(edited.status, 200, edited.text)
  assert.match((await open('reference/options')).text, 'Other words.')
})

test('a renamed page is found at its first address', async () => {
  const { id } = (await app.admin.get(`/v1/spaces/${space}/content/path/guide/install`)).body
  const changes = [{ operation: 'update_page', page: id, slug: 'set-up' }]
  const edited = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(edited.status, 200, edited.text)
  const former = await open('guide/install')
  assert.equal([former.status, former.headers.get('location')], [307, `${base}guide/set-up`])
  const byId = await open(`~stemma/page/${id}`)
  assert.equal([byId.status, byId.headers.get('location')], [307, `${base}guide/set-up`])
})

test('a path without a page is answered 404 with a page that names the nearest ones', async () => {
  const page = await open('referense/option')
  assert.is(page.status, 404)
  assert.match(page.text, 'There is no page here')
  assert.match(page.text, `href="${base}reference/options"`)
  assert.match(page.text, /<meta name="robots" content="noindex"/)
})

test('every page forbids scripts, styles and frames that it does not have itself', async () => {
  const { headers, text } = await open('guide')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self'; /)
  assert.match(policy, "base-uri 'none'")
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.is(headers.get('set-cookie'), null)
  assert.not.match(text, / style="| onclick=/)

  for (const address of text.match(/\/~stemma\/assets\/[\w.-]+/g) ?? []) {
    const asset = await openPage(app, address)
    assert.is(asset.status, 200, address)
    assert.match(asset.headers.get('cache-control') ?? '', 'immutable')
  }
})

test('programs read the list of pages, all texts, and the site map', async () => {
  const list = (await open('llms.txt')).text
  assert.match(list, `(${app.url}${base}reference/options.md)`)
  assert.not.match(list, 'Hidden')
  assert.match((await open('llms-full.txt')).text, 'Other words.')
  assert.is((await open('llms-full.txt/9')).status, 404)
  assert.match((await open('sitemap.xml')).text, `${app.url}${base}sitemap-pages.xml`)
  assert.match(
    (await open('sitemap-pages.xml')).text,
    `<loc>${app.url}${base}reference/options</loc>`,
  )
  const robots = (await open('robots.txt')).text

  assert.match(robots, `Sitemap: ${app.url}${base}sitemap.xml`)
  assert.match(robots, `Disallow: ${base}~\n`)
  for (const path of ['~gitbook/ogimage', '~stemma/files', '~stemma/theme'])
    assert.match(robots, `Allow: ${base}${path}\n`)
})

test('the root of the server leads to its only public site', async () => {
  const root = await openPage(app, '/')
  assert.equal([root.status, root.headers.get('location')], [307, base])
})

test('an unpublished site asks browsers to sign in, and is not there for programs', async () => {
  assert.is((await app.admin.post(`/v1/orgs/acme/sites/${site}/unpublish`)).status, 200)
  const page = await open('guide', { accept: 'text/html' })
  assert.is(page.status, 401)
  assert.match(page.headers.get('content-type') ?? '', 'text/html')
  assert.match(page.text, 'Sign in to read this')
  const json = await open('guide', { accept: 'application/json' })

  assert.is(json.status, 404)
  assert.match(json.headers.get('content-type') ?? '', 'application/json')
  assert.match((await openPage(app, '/', { accept: 'text/html' })).text, 'Stemma')
})

test('headings never share an id with the parts around the text', async () => {
  const markdown = '# Parts\n\n## Search\n\n## Pages\n\n## Content\n\n<p id="~search">a</p>\n'
  const parts = await insertPublicSite(app, { 'README.md': '# Home\n', 'parts.md': markdown })
  const { text } = await openPage(app, `${parts.base}parts`)
  const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  assert.equal(ids, [...new Set(ids)])
  for (const id of ['search', 'pages', 'content', '~search', '~pages', '~content'])
    assert.ok(ids.includes(id), id)
})

test('links to the site itself are not those to other servers', async () => {
  const own = `${app.url}/sites/acme/other/page`
  const { base } = await insertPublicSite(app, {
    'README.md': `# Home\n\n[own](${own}) [other](https://example.org/)\n`,
  })
  const { text } = await openPage(app, base)
  assert.match(text, `<a href="${own}">own</a>`)
  assert.match(text, '<a href="https://example.org/" rel="noopener nofollow">other</a>')
})

/** Returns the status of a request with a target and a host as they are written. */
const statusOf = (path: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.url)
    request(
      { hostname, port, path, headers: { host, accept: 'text/html' }, agent: false },
      response => {
        response.resume().on('end', () => resolve(response.statusCode))
      },
    )
      .on('error', reject)
      .end()
  })

test('a host that no address can have is refused, and the origin in front of a path is left out', async () => {
  const { base } = await insertPublicSite(app, { 'README.md': '# Home\n' })
  const { host } = new URL(app.url)
  for (const wrong of ['a b', '%', '[', '[::1', 'xn--', 'a:99999'])
    assert.is(await statusOf(`${base}x`, wrong), 400, wrong)
  assert.is(await statusOf(`http://${host}${base}`, host), 200)
  assert.is(await statusOf(`http://${host}${base}nowhere`, host), 404)
  assert.is(await statusOf('*', host), 404)
})

test('a server below a path has its sites and their assets there, whether or not a proxy takes the path away', async () => {
  const below = await siteApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org/stemma' })
  try {
    const { base } = await insertPublicSite(below, {
      'README.md': '# Home\n',
      'open.md': '# Open\n',
    })
    const open = (path: string) =>
      openPage(below, path, { host: 'docs.example.org', accept: 'text/html' })
    const [whole, taken] = [await open(`/stemma${base}open`), await open(`${base}open`)]
    assert.equal([whole.status, taken.status, taken.text], [200, 200, whole.text])
    assert.match(taken.text, `href="/stemma${base}"`)
    const assets = [...taken.text.matchAll(/ (?:href|src)="([^"]*~stemma\/assets[^"]*)"/g)].map(
      ([, at]) => at!,
    )

    assert.ok(assets.length > 1)

    for (const address of assets) {
      assert.match(address, /^\/stemma\/~stemma\/assets\//)
      for (const path of [address, address.slice('/stemma'.length)])
        assert.is((await open(path)).status, 200, path)
    }

    for (const path of [`/stemma${base}OPEN`, `${base}OPEN`])
      assert.is((await open(path)).headers.get('location'), `/stemma${base}open`)
    assert.is((await open(`${base}open?jwt_token=x`)).headers.get('location'), `/stemma${base}open`)
  } finally {
    await below.stop()
  }
})

test('a malformed path is answered with a page for browsers, and with JSON below /v1', async () => {
  const accept = { accept: 'text/html' }
  for (const path of [`${base}%E0%A4%A`, '/%zz', '/docs/%']) {
    const page = await openPage(app, path, accept)
    assert.equal(
      [page.status, page.headers.get('content-type')],
      [400, 'text/html; charset=utf-8'],
      path,
    )
    assert.match(page.text, /contains a &quot;%&quot; that does not begin/)
  }

  assert.is((await openPage(app, '/%761/user', accept)).status, 401)
  const json = await openPage(app, '/v1/%E0%A4%A', accept)

  assert.equal(
    [json.status, json.headers.get('content-type')],
    [400, 'application/json; charset=utf-8'],
  )
})

test('a page without text leads to the pages below it', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'empty/README.md': '# Empty\n',
    'empty/one.md': '---\ndescription: What comes first\nicon: rocket\n---\n# One\n\nText.\n',
    'empty/hidden.md': '---\nhidden: true\n---\n# Hidden\n',
    'full/README.md': '# Full\n\nText.\n',
    'full/two.md': '# Two\n',
    'folder/three.md': '# Three\n',
  })

  const cardsOf = async (path: string) => {
    const { text } = await openPage(app, base + path)
    const list =
      /<nav aria-label="Pages below “[^”]*”"><ul class="plain cards">.*?<\/nav>/s.exec(text)?.[0] ??
      ''
    return [...list.matchAll(/<a class="card" href="([^"]*)">(.*?)<\/a>/g)].map(
      ([, href, html = '']) => [href, html.replace(/<[^>]*>/g, '|').replace(/\|+/g, '|')],
    )
  }

  assert.equal(await cardsOf('empty'), [[`${base}empty/one`, '|One|What comes first|']])
  assert.equal(await cardsOf('folder'), [[`${base}folder/three`, '|Three|']])
  assert.equal(await cardsOf('full'), [])
  assert.equal(await cardsOf('full/two'), [])
})

test.run()
