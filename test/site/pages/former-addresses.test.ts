import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const words = 'Words of a page that stay.\n\nAnd more of them in a second paragraph.\n'
const list = (...entries: string[]) => `# Table of contents\n\n${entries.join('\n')}\n`

/** Creates a site of a space whose revisions have these files (null: removed). */
async function siteOf(...revisions: Record<string, string | null>[]) {
  const { base, space } = await insertPublicSite(app, {})
  const repo = spaceRepository(app.ctx, space)
  const push = (files: Record<string, string | null>) => commitFiles(repo, files)
  for (const files of revisions) await push(files)
  const open = (path: string, headers: Record<string, string> = {}) =>
    openPage(app, base + path, headers)
  const leadsTo = async (from: string, to: string) => {
    const { status, headers } = await open(from)
    assert.equal([status, headers.get('location')], [307, base + to], from)
  }

  return { space, push, open, leadsTo }
}

const renamed = (from: string, to: string, entries: string[]) => ({
  [from]: null,
  [to]: `# Install\n\n${words}`,
  'SUMMARY.md': list(...entries),
})

test('a page that was renamed twice is found at each of its addresses', async () => {
  const { leadsTo, open } = await siteOf(
    {
      'README.md': '# Home\n',
      'guides/install.md': `# Install\n\n${words}`,
      'SUMMARY.md': list('* [Home](README.md)', '* [Install](guides/install.md)'),
    },
    renamed('guides/install.md', 'guides/setup.md', [
      '* [Home](README.md)',
      '* [Install](guides/setup.md)',
    ]),
    renamed('guides/setup.md', 'guides/begin.md', [
      '* [Home](README.md)',
      '* [Install](guides/begin.md)',
    ]),
  )

  for (const former of ['install', 'setup', 'Setup', 'setup.html']) await leadsTo(former, 'begin')
  await leadsTo('setup?a=1', 'begin?a=1')
  const markdown = await open('setup.md')

  assert.equal([markdown.status, markdown.text], [200, `# Install\n\n${words}`])
  assert.is((await open('set')).status, 404)
})

test('an index has the address of its folder, and other spellings lead there', async () => {
  const { leadsTo, open } = await siteOf({
    'README.md': null,
    'SUMMARY.md': null,
    'changelog.md': '# Changelog\n',
    'guide/_index.md': '# Guide\n\n[Home](../index.md)\n',
    'guide/setup.md': '# Setup\n\n[Up](index.md) [Also up](./)\n',
    'index.md': '# Welcome\n\n[Guide](guide/)\n',
  })
  const front = await open('')

  assert.match(front.text, /<h1[^>]*>Welcome/)
  assert.match((await open('guide')).text, /<h1[^>]*>Guide/)
  await leadsTo('index', '')
  for (const spelling of ['index', '_index', 'index.html', 'README'])
    await leadsTo(`guide/${spelling}`, 'guide')
})

test('pages below a group are found after renames of the page, the group and a page above it', async () => {
  const { leadsTo, push, open, space } = await siteOf(
    {
      'README.md': '# Home\n',
      'guides/README.md': '# Guides\n',
      'guides/install.md': `# Install\n\n${words}`,
      'SUMMARY.md': list(
        '* [Home](README.md)',
        '',
        '## Group of guides',
        '',
        '* [Guides](guides/README.md)',
        '  * [Install](guides/install.md)',
      ),
    },
    renamed('guides/install.md', 'guides/setup.md', [
      '* [Home](README.md)',
      '',
      '## Group of guides',
      '',
      '* [Guides](guides/README.md)',
      '  * [Install](guides/setup.md)',
    ]),
  )

  await leadsTo('group-of-guides/guides/install', 'group-of-guides/guides/setup')
  await push({
    'SUMMARY.md': list(
      '* [Home](README.md)',
      '',
      '## Handbooks',
      '',
      '* [Guides](guides/README.md)',
      '  * [Install](guides/setup.md)',
    ),
  })
  for (const former of ['install', 'setup'])
    await leadsTo(`group-of-guides/guides/${former}`, 'handbooks/guides/setup')
  await leadsTo('group-of-guides/guides', 'handbooks/guides')
  await push({ 'SUMMARY.md': list('* [Home](README.md)', '* [Install](guides/setup.md)') })

  for (const former of [
    'group-of-guides/guides/install',
    'handbooks/guides/setup',
    'guides/install',
  ])
    await leadsTo(former, 'setup')

  // The rows can be derived again.
  for (const table of ['revision', 'revision_path', 'former_path', 'former_path_scan'])
    app.ctx.store.run(sqlRows(sql`delete from ${sql.table(table)} where space_id = ${space}`))
  await leadsTo('group-of-guides/guides/install', 'setup')
  assert.is((await open('other/guides/install')).status, 404)
})

test('a slug that is changed over the API twice leaves its former addresses', async () => {
  const { leadsTo, space } = await siteOf({
    'README.md': '# Home\n',
    'guides/install.md': `# Install\n\n${words}`,
    'SUMMARY.md': list(
      '* [Home](README.md)',
      '',
      '## Reference',
      '',
      '* [Install](guides/install.md)',
    ),
  })
  const { id } = (await app.admin.get(`/v1/spaces/${space}/content/path/reference/install`)).body
  for (const slug of ['setup', 'begin']) {
    // An edit that changes the text as well is no rename for Git.
    const document = { markdown: `# ${slug}\n\n${`Other text, ${slug}. `.repeat(40)}\n` }
    const changes = [{ operation: 'update_page', page: id, slug, document }]
    const edited = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
    assert.is(edited.status, 200, edited.text)
  }

  for (const former of ['install', 'setup']) await leadsTo(`reference/${former}`, 'reference/begin')
})

test('a former address of a page that its reader is not shown is a path without a page', async () => {
  const { open, leadsTo, push } = await siteOf(
    {
      'README.md': '# Home\n',
      'inside.md': `# Inside\n\n${words}`,
      'SUMMARY.md': list('* [Home](README.md)', '', '## Staff', '', '* [Inside](inside.md)'),
    },
    { 'SUMMARY.md': list('* [Home](README.md)', '', '## Team', '', '* [Inside](inside.md)') },
  )

  await leadsTo('staff/inside', 'team/inside')
  await push({ 'inside.md': `---\nif: visitor.claims.staff\n---\n\n# Inside\n\n${words}` })
  const [hidden, absent] = [await open('staff/inside'), await open('staff/nobody')]

  assert.equal([hidden.status, absent.status], [404, 404])
})

test('a path that another page took leads to the page that had it before, once the other page is gone', async () => {
  const { open, leadsTo, push } = await siteOf(
    {
      'README.md': '# Home\n',
      'a.md': `# Install\n\n${words}`,
      'SUMMARY.md': list('* [Home](README.md)', '', '## Part', '', '* [A](a.md)'),
    },
    renamed('a.md', 'b.md', ['* [Home](README.md)', '', '## Part', '', '* [B](b.md)']),
    {
      'a.md': '# Something else\n\nThat has no line in common.\n',
      'SUMMARY.md': list('* [Home](README.md)', '', '## Part', '', '* [B](b.md)', '* [A](a.md)'),
    },
  )

  assert.is((await open('part/a')).status, 200)
  await push({
    'a.md': null,
    'SUMMARY.md': list('* [Home](README.md)', '', '## Part', '', '* [B](b.md)'),
  })
  await leadsTo('part/a', 'part/b')
})

test('the redirects of a space come after former addresses', async () => {
  const { leadsTo, open, push } = await siteOf(
    {
      'README.md': '# Home\n',
      'one.md': `# One\n\n${words}`,
      'SUMMARY.md': list('* [Home](README.md)', '', '## First', '', '* [One](one.md)'),
    },
    {
      'SUMMARY.md': list('* [Home](README.md)', '', '## Second', '', '* [One](one.md)'),
      '.gitbook.yaml': 'redirects:\n  first/one: README.md\n  first/two: one.md\n',
    },
  )

  await leadsTo('first/one', 'second/one')
  await leadsTo('first/two', 'second/one')
  await push({ 'SUMMARY.md': list('* [Home](README.md)', '', '## Third', '', '* [One](one.md)') })
  await leadsTo('second/one', 'third/one')
  assert.is((await open('second/two')).status, 404)
})

test('the root of another tool comes and goes with its listed pages, and addresses lead on', async () => {
  const { push, open, leadsTo } = await siteOf({
    'README.md': '# Home\n',
    'SUMMARY.md': null,
    'mkdocs.yml': 'nav:\n  - one.md\n  - two.md\n',
    'docs/one.md': '# One\n',
    'docs/two.md': `# Two\n\n${words}`,
  })
  assert.match((await open('two')).text, /<h1[^>]*>Two/)
  await push({ 'docs/one.md': null, 'docs/two.md': null, 'docs/second.md': `# Two\n\n${words}` })
  assert.match((await open('docs/second')).text, /<h1[^>]*>Two/)
  await leadsTo('two', 'docs/second')
  await push({ 'docs/second.md': null, 'docs/two.md': `# Two\n\n${words}`, 'docs/b.md': '# B\n' })
  await leadsTo('docs/second', '')
  await push({ 'mkdocs.yml': `nav: [two.md]\n${'# Long\n'.repeat(2_400)}` })
  await leadsTo('two', 'docs/two')
})

test.run()
