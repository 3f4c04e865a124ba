import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putGitSync } from '../../src/store/git/git-sync.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { hasPoppler, textOfPdf } from '../support/media/poppler.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, customizeSite, makeAdaptive } from './visitors.ts'

const app = await siteApp()
const { ctx } = app
test.after(() => app.stop({ damaged: true }))

const files = {
  'README.md':
    '# Home\n\nWelcome.\n\n{% if visitor.claims.beta === true %}\nBetaword.\n{% endif %}\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Open](open.md)\n* [Beta](beta.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nHiddenword.\n',
  'open.md': '# Open\n\nOpenword.\n',
}
const customize = (site: string, settings: Record<string, unknown>) =>
  customizeSite(app, site, settings)
const canRead = hasPoppler()
const wordsOf = (bytes: Buffer): string => (canRead ? textOfPdf(bytes).join('\n') : '')

/** Returns the titles in the menu of a page. */
const menuOf = (html: string): string[] =>
  [
    ...(/id="~actions"[\s\S]*?<\/ul>/.exec(html)?.[0] ?? '').matchAll(
      /<(?:a|button)[^>]*>([^<]+)</g,
    ),
  ].map(([, title = '']) => title)

test('the menu of a page follows the settings', async () => {
  const { base, site } = await insertPublicSite(app, files)
  assert.equal(menuOf((await openPage(app, `${base}open`)).text), [
    'Copy as Markdown',
    'View as Markdown',
    'Save as PDF',
    'Copy link',
  ])
  assert.ok(menuOf((await openPage(app, base)).text).includes('Save all pages as PDF'))
  customize(site, {
    pageActions: { externalAI: true, markdown: false, mcp: true },
    pdf: { enabled: false },
    pagination: { enabled: false },
  })
  const { text } = await openPage(app, `${base}open`)

  assert.equal(menuOf(text), ['Open in ChatGPT', 'Open in Claude', 'Copy MCP address', 'Copy link'])
  assert.match(
    text,
    /href="https:\/\/claude\.ai\/new\?q=Read%20[^"]*open[^"]*" rel="noopener nofollow"/,
  )
  assert.not.match(text, 'class="pager"')
})

test('all pages are offered as a PDF only where they can be printed together', async () => {
  const offers = async (more: Record<string, string>) => {
    const { base } = await insertPublicSite(app, { 'README.md': '# Home\n', ...more })
    return menuOf((await openPage(app, base)).text).includes('Save all pages as PDF')
  }
  const long = `# Long\n\n${'A long line of a text.\n'.repeat(150_000)}`
  assert.ok(await offers({ 'a.md': '# A\n', 'b.md': long }))
  assert.not(await offers({ 'a.md': `${long}a\n`, 'b.md': long }))
  // Hidden pages are not printed.
  assert.ok(
    await offers({ 'a.md': '# A\n', 'b.md': long, 'c.md': `---\nhidden: true\n---\n${long}` }),
  )
  assert.not(await offers({}))
})

test('assistants on the web are offered only for pages that they can open', async () => {
  const made = await insertPublicSite(app, files)
  customize(made.site, { pageActions: { externalAI: true, markdown: false, mcp: false } })

  for (const visibility of ['public', 'unlisted', 'share-link'] as const) {
    const base = await changeAudience(app, made, visibility)
    const menu = menuOf((await openPage(app, `${base}open`)).text)
    assert.is(menu.includes('Open in Claude'), visibility !== 'share-link', visibility)
  }

  await changeAudience(app, made, 'public')
  updateSite(ctx.store, made.site, { agents_context: 'excluded' })
  assert.not.ok(menuOf((await openPage(app, `${made.base}open`)).text).includes('Open in Claude'))
})

test('a page leads to its file in the repository of the space, while the settings say so', async () => {
  const { base, site, space } = await insertPublicSite(app, files)
  customize(site, { git: { showEditLink: true } })
  assert.not.match((await openPage(app, `${base}open`)).text, 'Edit this page')
  const row = {
    space_id: space,
    repo_name: 'acme/docs',
    provider: null,
    url: 'https://github.com/acme/docs.git',
  }
  const urls = { repo_tree_url: null, repo_commit_url: null, project_directory: 'docs' }

  putGitSync(ctx.store, {
    ...row,
    ...urls,
    ref: 'refs/heads/main',
    last_timestamp: null,
    updated_at: null,
  })
  const { text } = await openPage(app, `${base}open`)

  assert.match(text, 'href="https://github.com/acme/docs/edit/main/docs/open.md"')
  customize(site, { git: { showEditLink: false } })
  assert.not.match((await openPage(app, `${base}open`)).text, 'github.com')
})

test('a page leads to its file at an address of the settings, without Git sync', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const editLink = 'https://git.example.org/docs/edit/main/guide/{path}?plain=1'
  customize(site, { git: { showEditLink: true, editLink } })
  const at = 'href="https://git.example.org/docs/edit/main/guide/'
  assert.match((await openPage(app, `${base}open`)).text, `${at}open.md?plain=1"`)
  customize(site, { git: { showEditLink: false, editLink } })
  assert.not.match((await openPage(app, `${base}open`)).text, 'git.example.org')
})

test('a reader saves a page, or all pages, as a PDF', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const { text } = await openPage(app, `${base}open`)
  const href = /href="([^"]*~gitbook\/pdf\?page=[^"]*)"/.exec(text)?.[1] ?? ''
  const one = await openPage(app, href)

  assert.is(one.status, 200, one.text.slice(0, 300))
  assert.is(one.headers.get('content-type'), 'application/pdf')
  assert.match(one.headers.get('content-disposition') ?? '', 'filename="Open.pdf"')
  assert.match(one.headers.get('cache-control') ?? '', 'public')
  const again = await openPage(app, href, { 'if-none-match': one.headers.get('etag') ?? '' })

  assert.is(again.status, 304)
  const all = await openPage(app, `${base}~gitbook/pdf`)

  assert.is(all.status, 200)

  if (canRead) {
    assert.match(wordsOf(one.bytes), 'Openword')
    assert.not.match(wordsOf(one.bytes), 'Welcome')
    assert.match(wordsOf(all.bytes), 'Welcome')
    assert.not.match(wordsOf(all.bytes), /Hiddenword|Betaword/)
  }

  customize(site, { pdf: { enabled: false } })
  assert.is((await openPage(app, href)).status, 404)
  assert.is((await openPage(app, `${base}~gitbook/pdf`)).status, 404)
})

test('a PDF contains what its reader is shown, for every audience', async () => {
  const made = await insertPublicSite(app, files)
  const sign = await makeAdaptive(app, made.site)
  const cookie = await cookieOf(app, made.base, await sign({ beta: true }))
  const { pages } = (await app.admin.get(`/v1/spaces/${made.space}/content/pages`)).body
  const beta = pages.find(({ path }: { path: string }) => path === 'beta').id as string
  const address = `~gitbook/pdf?page=${beta}`
  const shown = await openPage(app, made.base + address, { cookie })

  assert.is(shown.status, 200)
  assert.match(shown.headers.get('cache-control') ?? '', 'private')
  if (canRead) assert.match(wordsOf(shown.bytes), 'Hiddenword')
  assert.is((await openPage(app, made.base + address)).status, 404)
  const keyed = await changeAudience(app, made, 'share-link')

  assert.is((await openPage(app, `${made.base}~gitbook/pdf`)).status, 404)
  assert.is((await openPage(app, keyed + address)).status, 404)
  const all = await openPage(app, `${keyed}~gitbook/pdf`)

  assert.equal([all.status, all.headers.get('cache-control')], [200, 'private, no-store'])
  if (canRead) assert.not.match(wordsOf(all.bytes), /Hiddenword|Betaword/)
  await changeAudience(app, made, 'visitor-auth')
  assert.is((await openPage(app, `${made.base}~gitbook/pdf`)).status, 401)
})

test.run()
