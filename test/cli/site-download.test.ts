import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertRedirect } from '../../src/store/sites/redirects.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { openPage as openInBrowser } from '../browser/inspect.ts'
import { insertPublicSite } from '../site/open-page.ts'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { publishedSite } from '../support/sites.ts'
import { skip } from '../support/skip.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const scratch = await mkdtemp(join(tmpdir(), 'stemma-copy-'))
test.after(async () => {
  await app.stop()
  await rm(scratch, { recursive: true, force: true })
})

const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const files = {
  'README.md':
    '# Home\n\nSee [the guide](guide/install.md#with-npm), [a file](.gitbook/assets/data.csv) and [elsewhere](https://example.org/).\n\n<button type="button" class="button primary" data-action="ask" data-query="npm" data-icon="search">Ask</button>\n\n![A dot](.gitbook/assets/dot.png)\n\n<video src=".gitbook/assets/tour.mp4" poster=".gitbook/assets/dot.png"></video>\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Install it](guide/install.md)\n    * [更深](guide/deep.md)\n',
  'guide/README.md': '# Guide\n\nWords.\n',
  'guide/install.md': '# Install it\n\n## With npm\n\n```mermaid\nflowchart TD\n  A --> B\n```\n',
  'guide/deep.md': '# 更深\n\n[Back](../README.md)\n',
  '.gitbook/assets/dot.png': dot,
  '.gitbook/assets/data.csv': 'a,b\n1,2\n',
  '.gitbook/assets/tour.mp4': 'Not a real recording.',
}

const download = (...args: string[]) => stemmaHere(['site', 'download', ...args])

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/**
 * Returns the links and sources of the pages of a copy that lead to no file of it, and those to the
 * server.
 */
function brokenIn(folder: string): string[] {
  return filesIn(folder)
    .filter(path => path.endsWith('.html'))
    .flatMap(path =>
      [...readFileSync(path, 'utf8').matchAll(/ (?:href|src|poster|action)="([^"]*)"/g)]
        .map(([, address]) => address!)
        .filter(address => !/^(?:#|https:\/\/example\.org)/.test(address))
        .filter(address => {
          const file = decodeURIComponent(address.replace(/#.*/, ''))
          return /^[a-z]+:|^\//.test(address) || !existsSync(resolve(dirname(path), file))
        })
        .map(address => `${path}: ${address}`),
    )
}

test('a site is copied with all pages and files, and every link leads to a file', async () => {
  const api = { title: 'API reference', to: { kind: 'url', url: '/docs' } }
  const customization = {
    header: { links: [{ ...api, links: [] }] },
    footer: { groups: [{ title: 'Programs', links: [api] }] },
  }
  const { base } = await insertPublicSite(app, files, { customization })
  const folder = join(scratch, 'whole')
  const { code, stdout, stderr } = await download(app.url + base, folder)

  assert.equal([code, stdout.trimEnd()], [0, join(folder, 'index.html')], stderr)
  const pages = filesIn(folder).filter(path => path.endsWith('.html'))

  assert.is(pages.length, 4)
  assert.equal(brokenIn(folder), [])
  const home = readFileSync(join(folder, 'index.html'), 'utf8')

  assert.match(home, /href="guide\/install\.html#with-npm"/)
  assert.not.match(
    home,
    /<script|<form|<dialog|id="~(?:actions|find|search)"|data-query|API reference|~gitbook|127\.0\.0\.1/,
  )
  assert.match(home, /<video[^>]* poster="[^"]+"/)
  const image = /<img[^>]* src="([^"]+)"/.exec(home)?.[1] ?? ''

  assert.equal(readFileSync(join(folder, image)), dot)
  assert.match(
    readFileSync(join(folder, 'guide/install.html'), 'utf8'),
    '<figure class="diagram"><pre',
  )
})

test('a site that excludes agents is copied, and its readers still get pages with scripts', async () => {
  const { base } = await insertPublicSite(app, files, { agents_context: 'excluded' })
  const folder = join(scratch, 'excluded')
  const { code, stderr } = await download(app.url + base, folder)

  assert.is(code, 0, stderr)
  assert.not.match(readFileSync(join(folder, 'index.html'), 'utf8'), '<script')
  const page = await fetch(app.url + base, { headers: { accept: 'text/html' } })

  assert.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(await page.text(), '<script')
})

test('a copy has the sections of a site, and opens in a browser from its files without a message', async () => {
  const [first, second] = [
    await makeSpace(app, files, 'Guides'),
    await makeSpace(app, { 'README.md': '# API\n\nAll calls.\n' }, 'API'),
  ]
  const site = await publishedSite(app, [first.space.id], { visibility: 'share-link' })
  const path = `/v1/orgs/acme/sites/${site.id}`
  assert.is(
    (await app.admin.post(`${path}/sections`, { spaceId: second.space.id, title: 'API' })).status,
    201,
  )
  const link = (await app.admin.post(`${path}/share-links`, { name: 'Copy' })).body
  const folder = join(scratch, 'sections')
  const { code, stderr } = await download(link.urls.published, folder)

  assert.is(code, 0, stderr)
  assert.equal(brokenIn(folder), [])
  assert.ok(existsSync(join(folder, 'api/index.html')), filesIn(folder).join('\n'))
  const key = new URL(link.urls.published).pathname.split('/').at(-2) as string

  for (const file of filesIn(folder)) assert.not.match(readFileSync(file, 'latin1'), key, file)
  if (!chromiumPath) return skip('there is no Chromium: set CHROME_PATH')

  const browser = await startChromium()

  try {
    // A slow machine aborts the transition between two pages, and says so.
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    })

    const { page, said } = await openInBrowser(
      context,
      pathToFileURL(join(folder, 'index.html')).href,
    )
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/copy.png` })
    await page.locator('.prose a', { hasText: 'the guide' }).click()
    assert.match(await page.title(), 'Install it')
    assert.equal(
      said.filter(line => !line.startsWith('request to file:')),
      [],
    )
  } finally {
    await browser.close()
  }
})

test('what a reader may not see is not copied', async () => {
  const { base } = await insertPublicSite(app, {
    ...files,
    'secret.md': '---\nif: visitor.claims.beta === true\n---\n\n# Secretword\n',
  })
  const folder = join(scratch, 'hidden')
  assert.is((await download(app.url + base, folder)).code, 0)
  for (const file of filesIn(folder))
    assert.not.match(readFileSync(file, 'latin1'), 'Secretword', file)
})

test('a folder with files, another address, and a site that is not there are refused', async () => {
  const { base } = await insertPublicSite(app, files)
  const taken = await download(app.url + base, '.')
  assert.equal([taken.code, taken.stdout], [2, ''])
  assert.match(taken.stderr, 'is not empty')
  assert.match((await download('docs', join(scratch, 'x'))).stderr, 'is not the address of a site')
  assert.match(
    (await download(`${app.url}/sites/acme/none/`, join(scratch, 'y'))).stderr,
    'is no site that everyone may read',
  )
})

test('odd links and names do not end a copy, and no page takes the file of another', async () => {
  const basename = 'odd-names'
  const base = `${app.url}/sites/acme/${basename}/`
  const long = '长'.repeat(84)
  const { site } = await insertPublicSite(
    app,
    {
      'README.md': `# Home\n\n[A](http://[oops) [B](${base}missing) [C](${base}old) [D](http://%)\n`,
      'a/one*.md': '# Starred\n',
      'a/one_.md': '# Underlined\n',
      'a/ONE_.md': '# Uppercased\n',
      [`${long}.md`]: '# Long\n',
    },
    { basename },
  )
  const elsewhere = `${app.url}/docs`

  // The API takes https alone.
  const destination = { kind: 'external' as const, url: elsewhere }
  const row = { id: 'old', site_id: site, source: '/old', source_folded: '/old', created_at: '' }

  insertRedirect(app.ctx.store, { ...row, destination })
  const folder = join(scratch, 'odd')
  const { code, stderr } = await download(base, folder)

  assert.is(code, 0, stderr)
  assert.match(stderr, `${base}missing leads to nothing and was left out.`)
  const pages = filesIn(folder).filter(path => path.endsWith('.html'))
  const titles = pages.map(path => /<title>([^<]*)/.exec(readFileSync(path, 'utf8'))?.[1] ?? '')

  for (const title of ['Home', 'Starred', 'Underlined', 'Uppercased', 'Long'])
    assert.is(titles.filter(each => each.startsWith(title)).length, 1, `${title}: ${titles}`)
  assert.is(new Set(pages.map(path => path.toLowerCase())).size, pages.length)
  assert.match(readFileSync(join(folder, 'old.html'), 'utf8'), `url=${elsewhere}"`)
})

test('the address at which visitors sign in is not copied', async () => {
  const { base, site } = await insertPublicSite(app, files, { visibility: 'visitor-auth' })
  const auth = { backend: 'custom', fallbackURL: `${app.url}/docs` }
  assert.is(
    (await app.admin.patch(`/v1/orgs/acme/sites/${site}/publishing/auth`, auth)).status,
    200,
  )
  const folder = join(scratch, 'visitors')
  const refused = await download(app.url + base, folder)

  assert.is(refused.code, 1)
  assert.match(refused.stderr, '--visitor-token')
  const wrong = await download(app.url + base, folder, '--visitor-token', 'x.y.z')

  assert.is(wrong.code, 1)
  assert.match(wrong.stderr, 'does not accept the visitor token')
  assert.not.ok(existsSync(folder))
})

test.run()
