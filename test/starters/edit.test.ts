import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { startApp } from '../support/app.ts'
import { gitOutside } from '../support/git/repo.ts'
import { parseTxtar } from '../support/txtar.ts'

const app = await startApp()
test.after(() => app.stop())

type Entry = {
  id: string
  type: string
  title: string
  linkTitle?: string
  path?: string
  pages?: Entry[]
}

const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

/** Makes a space with these files. Returns its id. */
async function spaceWith(files: Record<string, string>): Promise<string> {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })
  const sent = await app.admin.post(`/v1/spaces/${body.id}/git/folder`, {
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, `100644 ${blobOf(text)}`]),
    ),
    contents: Object.values(files).map(text => Buffer.from(text).toString('base64')),
    message: 'Files',
  })
  assert.is(sent.status, 200, sent.text)
  return body.id
}

const listOf = async (space: string): Promise<Entry[]> =>
  (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body.pages

const lines = (pages: readonly Entry[], indent = ''): string[] =>
  pages.flatMap(({ type, title, id, pages: below = [] }) => [
    `${indent}${type} ${title} ${id}`,
    ...lines(below, `${indent}  `),
  ])

test('an edit of the list of pages of another tool writes a table of contents', async () => {
  const space = await spaceWith({
    'docs.json': JSON.stringify({
      navigation: {
        groups: [
          { group: 'Start', pages: ['index', 'one', { group: 'More', pages: ['two'] }] },
          { group: 'End', pages: ['three'] },
        ],
        global: { anchors: [{ anchor: 'Blog', href: 'https://blog.example.org' }] },
      },
    }),
    'index.md': '# Home\n\n[One](one.md)\n',
    'one.md': '# One\n',
    'two.md': '# Two\n',
    'three.md': '# Three\n',
  })
  const before = lines(await listOf(space))
  const one = before.find(line => line.includes(' One '))
  const page = one?.split(' ').at(-1)
  const changes = [{ operation: 'delete_page', page }]
  const { status, text } = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(status, 200, text)

  assert.equal(
    lines(await listOf(space)),
    before.filter(line => line !== one),
  )
})

/** Returns whether the rename of an image of a MkDocs project writes a table of contents. */
async function writesSummary(nav: string): Promise<boolean> {
  const space = await spaceWith({
    'mkdocs.yml': `site_name: Docs\nnav:\n  - index.md\n${nav}`,
    'docs/index.md': '# Home\n\n![A](a.png)\n',
    'docs/a.png': 'png',
  })
  const { body } = await app.admin.get(`/v1/spaces/${space}/content/files`)
  const file = body.items.find(({ name }: { name: string }) => name === 'a.png')?.id
  const changes = [{ operation: 'rename_file', file, name: 'b.png' }]
  const { status, text } = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(status, 200, text)
  const broken = await app.admin.get(`/v1/spaces/${space}/links?status=broken`)
  assert.equal(broken.body.items, [])
  const dir = spaceRepository(app.ctx, space).dir
  return gitOutside(dir, ['ls-tree', '-r', '--name-only', 'main']).includes('SUMMARY.md')
}

test('the rename of an image writes a table of contents only if another tool lists it', async () => {
  assert.not(await writesSummary(''))
  assert.ok(await writesSummary('  - Picture: a.png\n'))
})

test('a docs.json without a navigation is a file like any other', async () => {
  const space = await spaceWith({ 'docs.json': '{"name": "x"}', 'index.md': '[It](docs.json)\n' })
  const { body } = await app.admin.get(`/v1/spaces/${space}/links?status=broken`)
  assert.is(body.stats.broken.total, 0)
})

/** Returns all entries of a list of pages in order. */
const allOf = (pages: readonly Entry[]): Entry[] =>
  pages.flatMap(page => [page, ...allOf(page.pages ?? [])])

/** Returns the entries of a space as lines: id, name in the list, address. */
const namesOf = async (space: string): Promise<string[]> =>
  allOf(await listOf(space)).map(
    ({ id, title, linkTitle, path }) => `${id} ${linkTitle ?? title} = ${path ?? ''}`,
  )

async function change(space: string, ...changes: object[]): Promise<void> {
  const { status, text } = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(status, 200, text)
}

/** Changes the list of pages of a space in three ways; the other pages stay as they are. */
async function assertStable(files: Record<string, string>): Promise<string> {
  const space = await spaceWith(files)
  const before = await namesOf(space)
  await change(space, {
    operation: 'insert_link',
    title: 'Added',
    url: 'https://added.example.org',
  })
  const after = await namesOf(space)
  assert.equal(
    after.filter(line => !line.includes(' Added = ')),
    before,
  )

  const pages = allOf(await listOf(space))
  const last = pages.findLast(({ type, path }) => type === 'document' && path)
  assert.ok(last)
  await change(space, { operation: 'update_page', page: last.id, slug: 'renamed' })
  const renamed = await namesOf(space)
  const others = (lines: readonly string[]) => lines.filter(line => !line.startsWith(last.id))
  assert.equal(others(renamed), others(after))
  assert.match(renamed.find(line => line.startsWith(last.id)) ?? '', /[ /]renamed$/)

  await change(space, { operation: 'update_page', page: last.id, into: null, at: 1 })
  assert.equal(others(await namesOf(space)), others(after))

  return space
}

/** Returns the files of the starter of a tool as `publish` sends them from a folder of it. */
function starter(
  tool: string,
  folder = '',
  beside: readonly string[] = [],
): Record<string, string> {
  const { files } = parseTxtar(readFileSync(new URL(`${tool}.txtar`, import.meta.url), 'utf8'))
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) =>
      path.startsWith(folder)
        ? [[path.slice(folder.length), text]]
        : beside.includes(path)
          ? [[path, text]]
          : [],
    ),
  )
}

const withoutSlugs = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replace(/^slug: .*\n/m, '')]),
  )

const starters = {
  'MkDocs, the project': () => starter('mkdocs'),
  'MkDocs, the folder': () => starter('mkdocs', 'docs/', ['mkdocs.yml']),
  Mintlify: () => starter('mintlify'),
  Docusaurus: () => starter('docusaurus', 'docs/'),
  // Beside a SUMMARY.md, a slug counts only where there are settings in files.
  Starlight: () => withoutSlugs(starter('starlight', 'src/content/docs/')),
  VitePress: () => starter('vitepress', 'docs/'),
}

for (const [name, files] of Object.entries(starters))
  test(`${name}: edits keep names and addresses of the other pages`, async () => {
    const space = await assertStable(files())
    const { body } = await app.admin.get(`/v1/spaces/${space}/content/files`)
    const names = body.items.map((file: { name: string }) => file.name)
    assert.equal(
      names.filter((file: string) => /^(?:mkdocs\.yml|docs\.json|_category_)/.test(file)),
      [],
    )
  })

test('edits keep addresses that are not those of the names in the list', async () => {
  await assertStable({
    'docs.json': JSON.stringify({
      navigation: {
        groups: [
          { group: '🚀 Start', pages: ['index', 'guides/one', 'two', 'lost'] },
          {
            group: 'Guides',
            pages: ['guides/index', { group: 'Guides', pages: ['guides/three'] }],
          },
        ],
      },
    }),
    'index.md': '# Home\n',
    'guides/index.md': '# Guides of all kinds\n',
    'guides/one.md': '---\nsidebarTitle: Eins\n---\n# One\n',
    'guides/three.md': '# Three\n',
    'two.md': '---\nslug: /zwei\nsidebar_label: Zwei!\n---\n# Two\n',
  })

  await assertStable({
    'index.md': '# Home\n',
    '01-start/_category_.json': '{"label": "Getting started", "link": {"title": "All of it"}}',
    '01-start/one.md': '# One\n',
    '01-start/two.md': '---\nslug: zwei\n---\n# Two\n',
    '02-more/three.md': '# Three\n',
  })
})

test('a page of a folder and a page with a slug are renamed where their addresses come from', async () => {
  const space = await spaceWith({
    'docs.json': '{"navigation": {"pages": ["index", "guide/index", "guide/one", "two"]}}',
    'index.md': '# Home\n',
    'guide/index.md': '# Guide\n',
    'guide/one.md': '# One\n',
    'two.md': '---\nslug: /far/zwei\n---\n# Two\n',
  })
  const pages = allOf(await listOf(space))
  const [guide, two] = ['guide', 'far/zwei'].map(path => pages.find(page => page.path === path)?.id)
  await change(
    space,
    { operation: 'update_page', page: guide, slug: 'manual' },
    { operation: 'update_page', page: two, slug: 'drei' },
  )
  assert.equal(
    allOf(await listOf(space)).map(({ path }) => path),
    ['index', 'manual', 'guide/one', 'far/drei'],
  )
})

test('without settings of another tool, a slug counts only without a SUMMARY.md', async () => {
  const space = await spaceWith({
    'README.md': '# Home\n',
    'guide/one.md': '---\nslug: /eins\n---\n# One\n',
  })
  const paths = async () => allOf(await listOf(space)).map(({ path }) => path)
  assert.equal(await paths(), ['readme', 'guide', 'eins'])
  await change(space, { operation: 'insert_link', title: 'Added', url: 'https://a.example.org' })
  assert.equal(await paths(), ['readme', 'guide', 'guide/one', undefined])
  const pages = allOf(await listOf(space))
  const page = pages.find(({ title }) => title === 'One')?.id
  await change(space, { operation: 'update_page', page, slug: 'two' })
  assert.equal(await paths(), ['readme', 'guide', 'guide/two', undefined])
})

test('a move that ends the addresses of front matter and a new slug are one change', async () => {
  const space = await spaceWith({
    'README.md': '# Home\n',
    'guide/one.md': '---\nslug: /eins\n---\n# One\n',
  })
  const page = allOf(await listOf(space)).find(({ title }) => title === 'One')?.id
  await change(space, { operation: 'update_page', page, slug: 'zwei', into: null, at: 1 })
  const moved = allOf(await listOf(space)).find(({ id }) => id === page)
  assert.is(moved?.path, 'zwei')
})

test('a redirect beside the settings of another tool leaves its list of pages', async () => {
  const space = await spaceWith({
    'mkdocs.yml': 'nav:\n  - index.md\n  - Guides:\n      - a/one.md\n',
    'docs/index.md': '# Home\n',
    'docs/a/one.md': '# One\n',
  })
  const one = allOf(await listOf(space)).find(({ title }) => title === 'One')
  await change(space, { operation: 'update_page', page: one?.id, slug: 'eins', redirect: true })
  assert.equal(
    allOf(await listOf(space)).map(({ path }) => path),
    ['index', 'guides', 'a/eins'],
  )
})

test.run()
