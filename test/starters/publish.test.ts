import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { stemmaHere } from '../cli/stemma.ts'
import { startApp } from '../support/app.ts'
import { parseTxtar } from '../support/txtar.ts'

const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-starters-'))
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})

const env = { STEMMA_URL: app.url, STEMMA_TOKEN: app.admin.token }

type Entry = { title: string; linkTitle?: string; path?: string; pages?: Entry[]; href?: string }

/** Publishes a folder of the starter of a tool. */
async function publish(tool: string, folder: string) {
  const { files } = parseTxtar(readFileSync(new URL(`${tool}.txtar`, import.meta.url), 'utf8'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, tool, path)), { recursive: true })
    writeFileSync(join(top, tool, path), text)
  }

  const args = ['publish', join(top, tool, folder), '--org', 'acme', '--json', '--site', tool]
  const { code, stdout, stderr } = await stemmaHere(args, env)
  assert.is(code, 0, stderr)
  const { site, space, findings, brokenLinks } = JSON.parse(stdout)
  const { body } = await app.admin.get(`/v1/spaces/${space}/content/pages`)

  return {
    title: site.title as string,
    findings: findings as string[],
    brokenLinks: brokenLinks as number,
    pages: outline(body.pages),
    /** Returns the HTML of a page of the site. */
    page: async (path: string): Promise<string> => {
      const reply = await fetch(site.urls.published + path)
      assert.is(reply.status, 200, path)
      return reply.text()
    },
  }
}

/** Returns a list of pages as lines: the name in the list, and the address. */
const outline = (pages: readonly Entry[], indent = ''): string[] =>
  pages.flatMap(({ title, linkTitle, path, href, pages: below = [] }) => [
    `${indent}${linkTitle ?? title} = ${path ?? href ?? ''}`,
    ...outline(below, `${indent}  `),
  ])

/** Asserts that a page has elements, by patterns. */
function has(html: string, ...patterns: readonly RegExp[]): void {
  for (const pattern of patterns) assert.match(html, pattern)
}

const mkdocsPages = [
  'Home = index',
  'Getting started = guide',
  '  Installation = guide/installation',
  '  Configuration = guide/configuration',
  'Reference = reference',
  'Source = https://code.example.org/acme',
]

const note = /<(?:div|aside)[^>]* class="[^"]*hint/
const tabs = /role="tablist"|class="[^"]*tabs/
const image = /<img[^>]+(?:logo|favicon|hero)/

test('MkDocs: nav, docs_dir and site_name of mkdocs.yml beside the folder', async () => {
  const docs = await publish('mkdocs', 'docs')
  assert.is(docs.title, 'Acme Handbook')
  assert.equal(docs.pages, mkdocsPages)
  assert.equal(docs.findings, [
    '1 page is not in the table of contents: drafts.md',
    'mkdocs.yml: plugins are code and do not run: macros',
  ])
  assert.is(docs.brokenLinks, 0)
  has(await docs.page(''), /Welcome to Acme/, image)
  has(await docs.page('guide/installation'), note, tabs, /apt install acme/)
  has(await docs.page('guide/configuration'), /acme\.py/, /<details/)
})

test('MkDocs: the project as a whole', async () => {
  const docs = await publish('mkdocs', '.')
  assert.equal(docs.pages, mkdocsPages)
  assert.is(docs.brokenLinks, 0)
})

test('Docusaurus: categories, positions, slugs and static files', async () => {
  const docs = await publish('docusaurus', 'docs')
  assert.equal(docs.pages, [
    'Tutorial Intro = intro',
    'Tutorial - Basics = tutorial-basics',
    '  Create a Page = tutorial-basics/create-a-page',
    '  Features = tutorial-basics/markdown-features',
    'Tutorial - Extras = tutorial-extras',
    '  Manage Versions = versions',
    '  Translate your site = tutorial-extras/translate',
  ])
  assert.equal(docs.findings, ['sidebars.ts is code: its sidebar was not read'])
  assert.is(docs.brokenLinks, 0)
  has(await docs.page(''), /Tutorial Intro/)
  has(await docs.page('versions'), /Manage Versions/)
  has(await docs.page('tutorial-basics/create-a-page'), note, /my-react-page\.js/)
  has(await docs.page('tutorial-basics/markdown-features'), image, tabs, /This is an orange/)
})

test('VitePress: addresses of pages and files in public', async () => {
  const docs = await publish('vitepress', 'docs')
  assert.equal(docs.pages, [
    'Acme = readme',
    'Runtime API Examples = api-examples',
    'Guide = guide',
    'Markdown Extension Examples = markdown-examples',
  ])
  assert.equal(docs.findings, ['.vitepress/config.mts is code: its sidebar was not read'])
  assert.is(docs.brokenLinks, 0)
  has(await docs.page(''), /href="[^"]*markdown-examples"/, /href="[^"]*api-examples"/)
  has(await docs.page('markdown-examples'), note, tabs, /<details/, image)
})

test('Starlight: sidebar and slug in front matter, files in public', async () => {
  const docs = await publish('starlight', 'src/content/docs')
  assert.equal(docs.pages, [
    'Welcome to Starlight = readme',
    'Guides = guides',
    '  First steps = start/first',
    '  The guide = guides/example',
    'Reference = reference',
    '  Example Reference = reference/example',
  ])
  assert.equal(docs.findings, ['astro.config.mjs is code: its sidebar was not read'])
  assert.is(docs.brokenLinks, 0)
  has(await docs.page(''), /Welcome to Starlight/, image, /href="[^"]*guides\/example"/)
  has(await docs.page('guides/example'), note, /astro\.config\.mjs/)
  has(await docs.page('start/first'), tabs, /Install with pnpm/)
})

test('Mintlify: tabs and groups of docs.json', async () => {
  const docs = await publish('mintlify', '.')
  assert.is(docs.title, 'Mint Starter Kit')
  assert.equal(docs.pages, [
    'Introduction = index',
    'Guides = guides',
    '  Getting started = guides/getting-started',
    '    Quickstart = quickstart',
    '  Essentials = guides/essentials',
    '    Settings = essentials/settings',
    '    Code blocks = essentials/code',
    'API reference = api-reference',
    '  API documentation = api-reference/api-documentation',
    '    API introduction = api-reference/introduction',
    'Blog = https://blog.example.org',
  ])
  assert.equal(docs.findings, [
    '1 page is not in the table of contents: README.md',
    'docs.json: pages that are made from OpenAPI descriptions were not taken',
  ])
  assert.is(docs.brokenLinks, 0)
  has(await docs.page(''), /Setting up/, image)
  has(await docs.page('quickstart'), /href="[^"]*essentials\/code"/)
  has(await docs.page('essentials/code'), /HelloWorld\.js/, tabs, /The second tab/)
})

test.run()
