import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

type Files = Record<string, string | null>
const list = (...entries: string[]) =>
  `# Table of contents\n\n${entries.map(entry => entry.replace(/\S/, '* $&')).join('\n')}\n`

/** Creates a site of a space with these files. */
async function siteOf(first: Files) {
  const { base, space } = await insertPublicSite(app, {})
  const repo = spaceRepository(app.ctx, space)
  const push = (files: Files) => commitFiles(repo, files)
  await push(first)

  /** Returns the heading of the page at an address, after at most one redirect, or the status. */
  const shownAt = async (address: string, status = 307): Promise<string> => {
    let opened = await openPage(app, address)
    if (opened.status === 307 && status === 307)
      opened = await openPage(app, opened.headers.get('location')!)
    const heading = /<h1[^>]*>([^<]*)/.exec(opened.text)?.[1]?.trim()
    return opened.status === 200 ? (heading ?? opened.text) : String(opened.status)
  }

  const apiShown = async (path: string): Promise<string> => {
    const { status, body } = await app.admin.get(
      `/v1/spaces/${space}/content/path/${encodeURIComponent(path)}`,
    )
    return status === 200 ? body.title : String(status)
  }

  const menu = async (path = ''): Promise<string[]> => {
    const { text } = await openPage(app, base + path)
    return [...text.matchAll(/href="([^"?#]*)"/g)].map(([, href = '']) => href)
  }

  /** Checks which page each address shows, on the site and in the API. */
  const check = async (pages: Record<string, string>) => {
    for (const [path, title] of Object.entries(pages)) {
      assert.is(await shownAt(base + path), title, `site: ${path}`)
      assert.is(await apiShown(path), title, `API: ${path}`)
    }
  }

  /** Checks where each address leads, on the site and in the API; '' for nowhere. */
  const leadsTo = async (pages: Record<string, string>) => {
    for (const [path, to] of Object.entries(pages)) {
      const { status, headers } = await openPage(app, base + path)
      const there = status === 307 ? headers.get('location') : status === 200 ? base + path : ''
      assert.is(there, to && base + to, `site: ${path}`)
      const { body } = await app.admin.get(
        `/v1/spaces/${space}/content/path/${encodeURIComponent(path)}`,
      )
      assert.is(body.path ?? '', to, `API: ${path}`)
    }
  }

  return { base, push, check, menu, shownAt, leadsTo }
}

const entities: Record<string, string> = { '&amp;': '&', '&#39;': "'", '&quot;': '"' }

const page = (title: string) => `# ${title}\n\nWords of ${title}, which stay the same.\n`

test('pages of folders in lower case keep their addresses when another is added above them', async () => {
  const entries = [
    '[Home](README.md)',
    '[API](api/readme.md)',
    '  [Install API](api/install.md)',
    '[CLI](cli/readme.md)',
    '  [Install CLI](cli/install.md)',
    '[SDK](sdk/readme.md)',
  ]
  const { push, check } = await siteOf({
    'README.md': page('Home'),
    'SUMMARY.md': list(...entries),
    'api/readme.md': page('API'),
    'api/install.md': page('Install API'),
    'cli/readme.md': page('CLI'),
    'cli/install.md': page('Install CLI'),
    'sdk/readme.md': page('SDK'),
  })
  const before = {
    api: 'API',
    'api/install': 'Install API',
    cli: 'CLI',
    'cli/install': 'Install CLI',
    sdk: 'SDK',
  }
  await check(before)
  await push({
    'SUMMARY.md': list(entries[0]!, '[Zero](zero/readme.md)', ...entries.slice(1)),
    'zero/readme.md': page('Zero'),
  })
  await check({ ...before, zero: 'Zero' })
})

test('an address keeps showing its page when pages with the same name come, move and go', async () => {
  const files = {
    'README.md': page('Home'),
    'api/setup.md': page('API'),
    'api/more.md': `${page('More')}\n[API](setup.md)\n`,
    'SUMMARY.md': list('[Home](README.md)', '[API](api/setup.md)', '  [More](api/more.md)'),
  }
  const { push, check, menu, base } = await siteOf(files)
  await check({ setup: 'API', 'setup/more': 'More' })

  await push({
    'cli/setup.md': page('CLI'),
    'SUMMARY.md': list(
      ...['[Home](README.md)', '[CLI](cli/setup.md)', '[API](api/setup.md)'],
      '  [More](api/more.md)',
    ),
  })
  const two = { setup: 'API', 'setup/more': 'More', 'api-setup': 'API', 'cli-setup': 'CLI' }
  await check({ ...two, 'api-setup/more': 'More' })
  assert.ok((await menu('api-setup/more')).includes(`${base}api-setup`))

  await push({
    'setup.md': page('Root'),
    'SUMMARY.md': list(
      ...['[Home](README.md)', '[Root](setup.md)', '[API](api/setup.md)'],
      ...['  [More](api/more.md)', '[CLI](cli/setup.md)'],
    ),
  })
  await check({ ...two, 'api-setup/more': 'More' })

  await push({
    ...{ 'setup.md': null, 'cli/setup.md': null },
    'SUMMARY.md': list('[Home](README.md)', '[API](api/setup.md)', '  [More](api/more.md)'),
  })
  await check({ setup: 'API', 'api-setup': 'API', 'api-setup/more': 'More', 'setup/more': 'More' })
  await check({ 'cli-setup': '404' })
})

test('pages named index keep their addresses, too', async () => {
  const { push, check } = await siteOf({
    'README.md': page('Home'),
    'api/index.md': page('API'),
    'SUMMARY.md': list('[Home](README.md)', '[API](api/index.md)'),
  })
  await check({ index: 'API' })
  await push({
    'cli/index.md': page('CLI'),
    'SUMMARY.md': list('[Home](README.md)', '[CLI](cli/index.md)', '[API](api/index.md)'),
  })
  await check({ index: 'API', api: 'API', cli: 'CLI' })
})

test('without a table of contents, a new file takes the address of no other page', async () => {
  const { push, check } = await siteOf({
    'README.md': page('Home'),
    'SUMMARY.md': null,
    'guide/a.md': page('A'),
    'setup.mdx': page('Setup'),
    'Case.md': page('Case'),
  })
  await check({ 'guide/a': 'A', setup: 'Setup', Case: 'Case' })
  await push({
    'guide.md': page('Guide'),
    'setup.md': page('Other'),
    'case.md': page('Lower'),
  })
  await check({
    'guide/a': 'A',
    'guide-section/a': 'A',
    guide: 'Guide',
    setup: 'Setup',
    Case: 'Case',
  })
  await push({ 'guide.md': null })
  await check({ 'guide/a': 'A', 'guide-section/a': 'A' })
})

test('sections and entries without a file keep their former addresses, as often as they change', async () => {
  const home = '[Home](README.md)'
  const [api, cli] = [
    ['Start', '  [X](api/x.md)'],
    ['Start', '  [Y](cli/y.md)'],
  ]
  const { push, leadsTo } = await siteOf({
    'README.md': page('Home'),
    'api/x.md': page('X'),
    'SUMMARY.md': list(home, ...api),
  })
  await leadsTo({ start: 'start', 'start/x': 'start/x' })
  await push({ 'cli/y.md': page('Y'), 'SUMMARY.md': list(home, ...cli, ...api) })
  const two = { start: 'api-start', 'start/x': 'api-start/x', 'start-1': 'api-start' }
  await leadsTo({ ...two, 'cli-start': 'cli-start' })
  await push({
    'start.md': page('Page'),
    'SUMMARY.md': list(home, '[P](start.md)', ...cli, ...api),
  })
  await leadsTo({ start: 'start', 'api-start': 'api-start', 'start/x': 'api-start/x' })
  await push({ 'start.md': null, 'SUMMARY.md': list(home, ...api) })
  await leadsTo({ start: 'start', 'api-start': 'start', 'api-start/x': 'start/x', 'cli-start': '' })
})

test('entries of missing files with equal names lead on from addresses with numbers', async () => {
  const { leadsTo } = await siteOf({
    'README.md': page('Home'),
    'SUMMARY.md': list('[Home](README.md)', '[A](a/setup.md)', '[B](b/setup.md)'),
  })
  await leadsTo({ setup: 'a-setup', 'setup-1': 'b-setup' })
})

test('the site and the API follow other spellings, former addresses and redirects in the same order', async () => {
  const { push, leadsTo } = await siteOf({
    'README.md': page('Home'),
    'setup.md': page('Old'),
    'a/x.md': page('A'),
    'b/x.md': page('B'),
    'SUMMARY.md': list('[Home](README.md)', '[Old](setup.md)', '[A](a/x.md)', '[B](b/x.md)'),
    '.gitbook.yaml': 'redirects:\n  x-1: setup.md\n',
  })
  await leadsTo({ Setup: 'setup', x: 'a-x', 'x-1': 'setup' })
  await push({
    ...{ 'setup.md': null, 'begin.md': page('Old'), 'z/Setup.md': page('New') },
    'SUMMARY.md': list('[Home](README.md)', '[Old](begin.md)', '  [New](z/Setup.md)'),
  })
  await leadsTo({ setup: 'begin', Setup: 'begin', SETUP: 'begin', 'setup.html': 'begin' })
  await push({
    'SUMMARY.md': list('[Home](README.md)', '[Old](begin.md)', '[New](z/Setup.md)'),
  })
  await leadsTo({ setup: 'Setup', Setup: 'Setup', SETUP: 'Setup', 'begin/setup': 'Setup' })
})

test('addresses with numbers of before lead to the pages that had them', async () => {
  const entries = ['[Home](README.md)', '[API](api/setup.md)', '[CLI](cli/setup.md)']
  const { push, check } = await siteOf({
    'README.md': page('Home'),
    'api/setup.md': page('API'),
    'cli/setup.md': page('CLI'),
    'sdk/readme.md': page('SDK'),
    'SUMMARY.md': list(...entries, '  [SDK](sdk/readme.md)'),
  })
  const before = { setup: 'API', 'setup-1': 'CLI', 'setup-1/readme': 'SDK', 'cli-setup/sdk': 'SDK' }
  await check(before)
  await push({
    'zero/setup.md': page('Zero'),
    'SUMMARY.md': list(
      ...['[Home](README.md)', '[Zero](zero/setup.md)', ...entries.slice(1)],
      '  [SDK](sdk/readme.md)',
    ),
  })
  await check({ ...before, 'zero-setup': 'Zero' })
})

test('an address of the menu shows its page, whatever the name of the file', async () => {
  const signs = [...'!"#$%&\'()*+,;<=>?@[]^_`{|}~'].map(sign => `a${sign}b`)
  const names = [
    ...signs,
    ...['ifcfg%3A1', '%41', '%2F', '%', '%25', '%zz', '%c3%a9', 'a%20b', 'a b', 'é', '日本', '😀'],
    ...['Today (2014)', 'a.md', 'x.html', 'v1.0', 'a...', '~x', '-', '+', 'a&amp;b', '&lt;'],
    ...['robots.txt', 'sitemap.xml', 'rss.xml', 'llms.txt', 'CON', '__proto__', 'constructor'],
  ]
  const files = (folder: string) =>
    Object.fromEntries(names.map((name, at) => [`${folder}${name}.md`, page(`Page ${at}`)]))
  const { base, shownAt } = await siteOf({
    'README.md': page('Home'),
    'SUMMARY.md': null,
    'in/README.md': page('In'),
    ...files(''),
    ...files('in/'),
  })
  const wrong: string[] = []

  for (const path of [base, `${base}in`]) {
    const { text } = await openPage(app, path)
    const entries = [...text.matchAll(/<a[^>]* href="([^"]*)"[^>]*><span>(Page \d+)<\/span>/g)]
    const titles = new Set(entries.map(([, , title]) => title))
    assert.equal(
      names.filter((_, at) => !titles.has(`Page ${at}`)),
      [],
    )
    for (const [, href = '', title] of entries) {
      const address = href.replace(/&#?\w+;/g, entity => entities[entity] ?? entity)
      const there = await shownAt(address, 200)
      if (there !== title) wrong.push(`${names[Number(title!.slice(5))]}: ${address} is ${there}`)
    }
  }
  assert.equal(wrong, [])
})

test.run()
