import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { insertPublicSite, openPage, siteApp } from '../site/open-page.ts'
import { commitFiles } from '../support/git/repo.ts'
import { parseTxtar } from '../support/txtar.ts'

// Small repositories with what writers do in practice: what readers are shown, and what the findings
// name.

const app = await siteApp()
test.after(() => app.stop())

type Entry = { title: string; path?: string; pages?: Entry[] }

const headingOf = (html: string): string => /<h1[^>]*>([^<]*)/.exec(html)?.[1]?.trim() ?? ''

/** Publishes a repository. Returns look-ups for what is shown. */
async function published(name: string) {
  const { base, space } = await insertPublicSite(app, {})
  const repo = spaceRepository(app.ctx, space)
  const archive = readFileSync(new URL(`${name}.txtar`, import.meta.url), 'utf8')
  const { files } = parseTxtar(archive)
  await commitFiles(repo, { 'README.md': null, 'SUMMARY.md': null, ...files })
  const api = `/v1/spaces/${space}/content`

  const list = async (): Promise<Entry[]> => {
    const { body } = await app.admin.get(`${api}/pages`)
    const all = (pages: Entry[]): Entry[] => pages.flatMap(each => [each, ...all(each.pages ?? [])])
    return all(body.pages)
  }

  return {
    files,
    open: (path = '') => openPage(app, base + path),
    /** Returns the heading of each page that has a file, by address. */
    pages: async () => {
      const shown: Record<string, string> = {}
      for (const [at, { path = '' }] of (await list()).entries()) {
        const { text } = await openPage(app, base + (at === 0 ? '' : path))
        shown[at === 0 ? '' : path] = headingOf(text)
      }
      return shown
    },
    push: (files: Record<string, string | null>) => commitFiles(repo, files),
    /** Returns the heading of the page behind each link of the menu, by address. */
    menu: async () => {
      const { text } = await openPage(app, base)
      const [, nav = ''] = /<nav class="side"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? []
      const shown: Record<string, string> = {}
      for (const [, href = ''] of nav.matchAll(/href="([^"]+)"/g)) {
        const page = await openPage(app, href)
        assert.is(page.status, 200, href)
        shown[href.slice(base.length)] = headingOf(page.text)
      }
      return shown
    },
    titles: async () => (await list()).map(({ title }) => title),
    /** Returns the findings as lines: file, line, kind. */
    findings: async () => {
      const { body } = await app.admin.get(`${api}/findings`)
      return body.items.map(
        ({ file, line, kind }: { file: string; line?: number; kind: string }) =>
          `${file}:${line ?? ''} ${kind}`,
      )
    },
  }
}

test('paths with spaces, parentheses and percent sequences lead to their pages', async () => {
  const site = await published('unescaped-paths')
  assert.equal(await site.menu(), {
    '': 'Introduction',
    'readme/Today%20(2014)': 'Today (2014)',
    'readme/Media%20Check%20List': 'Media list',
    'readme/ifcfg-3A1': 'Percent encoded name',
  })
  assert.equal(await site.findings(), [])
})

test('a numbered list is a table of contents, and the file that it lacks is named', async () => {
  const site = await published('numbered-summary')
  assert.equal(await site.menu(), {
    '': 'First',
    'first/below': 'Below first',
    second: 'Second',
  })
  assert.equal(await site.findings(), ['README.md: unlisted-page'])
})

test('a redirect keeps its anchor, and one without a target is named', async () => {
  const site = await published('redirects')
  const { status, headers } = await site.open('old/anchor')
  assert.is(status, 307)
  assert.match(headers.get('location') ?? '', /\/notes#fixes$/)
  const asked = (await site.open('old/anchor?a=1')).headers.get('location') ?? ''
  assert.match(asked, /\/notes\?a=1#fixes$/)
  await site.push({
    '.gitbook.yaml': 'redirects:\n  a: "notes.md#é %C3%A9 \\uD800"\n  b: notes.md#\n',
  })
  const written = (await site.open('a')).headers.get('location') ?? ''
  assert.match(written, /\/notes#%C3%A9%20%C3%A9%20%EF%BF%BD$/)
  assert.match((await site.open('b')).headers.get('location') ?? '', /\/notes#$/)
  await site.push({ '.gitbook.yaml': site.files['.gitbook.yaml'] ?? '' })
  assert.is((await site.open('old/missing')).status, 404)
  assert.equal(await site.findings(), ['.gitbook.yaml:3 dead-redirect'])
})

test('words in angle brackets are text, and are named', async () => {
  const site = await published('angle-brackets')
  const { text } = await site.open()
  assert.match(text, 'Sends to &lt;account-id&gt;.example.org and prints the answer.')
  assert.match(text, 'The type is List&lt;List&lt;int&gt;&gt;, and ')
  assert.match(text, 'href="http://www.example.org"')
  assert.equal(await site.findings(), ['README.md:3 unknown-tag', 'README.md:5 unknown-tag'])
})

test('an operation of a spec in a file is shown', async () => {
  const site = await published('openapi-file')
  const { text } = await site.open()
  for (const words of ['List all pets here', 'How many pets', 'A list']) assert.match(text, words)
  assert.equal(await site.findings(), [])
})

test('a page that is added above others changes none of their addresses', async () => {
  const site = await published('shifted-addresses')
  const pages = {
    '': 'Home',
    api: 'API',
    'api/install': 'Install',
    cli: 'CLI',
    'cli/install': 'Install',
    sdk: 'SDK',
  }
  assert.equal(await site.pages(), pages)
  const { files } = site
  const summary = files['SUMMARY.md']?.replace('* [API]', '* [Zero](zero/readme.md)\n* [API]')
  await site.push({ 'SUMMARY.md': summary ?? '', 'zero/readme.md': '# zero\n' })
  assert.equal(await site.pages(), { ...pages, zero: 'Zero' })
  assert.equal(await site.findings(), ['sdk/install.md: unlisted-page'])
})

test('the languages of LANGS.md are groups', async () => {
  const site = await published('languages')
  assert.equal(await site.titles(), ['English', 'Intro', 'Two', 'Français', 'Intro', 'Two'])
  assert.equal(await site.menu(), { '': 'Intro', 'en/two': 'Two', fr: 'Intro', 'fr/two': 'Two' })
  assert.equal(await site.findings(), ['LANGS.md: unread-settings'])
})

test('special files may have names in lower case', async () => {
  const site = await published('lower-case-names')
  assert.equal(await site.menu(), { '': 'Home', b: 'B first', a: 'A' })
  assert.equal(await site.findings(), [])
})

test('an indented end tag closes its block', async () => {
  const site = await published('indented-end-tags')
  const { text } = await site.open()
  assert.not.match(text, /\{%/)
  assert.match(text, 'Swift text')
  assert.match(text, /<p[^>]*>After\.<\/p>/)
  assert.equal(await site.findings(), [])
})

test.run()
