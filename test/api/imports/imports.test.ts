import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'
import { ended, importAll, imports, start, upload } from './importing.ts'
import { zipOf } from './zip.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let app: App
let space: Space
let writer: Actor

test.before(async () => {
  app = await startApp({ STEMMA_MAX_UPLOAD_MB: '3' })
  space = await makeSpace(app)
  writer = app.user('Wanda', 'edit')
})
test.after(() => app.stop())

/** Returns a file of a space as Git has it. */
const fileOf = async ({ id, head }: Space, path: string, branch?: number) =>
  gitOutside(spaceRepository(app.ctx, id).dir, [
    'cat-file',
    'blob',
    `${await head(branch)}:${path}`,
  ])

// biome-ignore lint/suspicious/noExplicitAny: what the API answers
const treeOf = (pages: any[]): unknown =>
  pages.map(({ title, type, pages: below = [] }) =>
    below.length > 0 ? [title, treeOf(below)] : type === 'group' ? [title] : title,
  )

const pagesOf = async (id: string) =>
  treeOf((await writer.get(`/v1/spaces/${id}/content/pages`)).body.pages)

test('a Markdown file becomes a page, as one commit of its importer', async () => {
  const before = await space.head()
  const run = await importAll(writer, space.id, { 'guide.md': '# The guide\n\nText.\n' })
  assert.is(run.status, 'completed', run.reason)
  assert.is(run.revision, await space.head())
  assert.equal(run.findings, [])
  assert.equal(run.pages, [
    { id: run.pages[0].id, type: 'page', status: 'complete', title: 'The guide', path: 'guide.md' },
  ])
  assert.is(await fileOf(space, 'the-guide.md'), '# The guide\n\nText.')
  const { body } = await writer.get(`/v1/spaces/${space.id}/content/page/${run.pages[0].id}`)
  assert.is(body.title, 'The guide')
  const log = gitOutside(space.repo.dir, ['log', '--format=%an %s', `${before}..${run.revision}`])
  assert.is(log, 'Wanda Import The guide')
  assert.equal(readdirSync(join(app.dataDir, 'uploads')), [])
})

test('a folder becomes a page tree, and links and pictures follow', async () => {
  const mine = await makeSpace(app)
  const zip = zipOf([
    { path: 'docs/', bytes: '' },
    {
      path: 'docs/README.md',
      bytes: '# Welcome\n\nSee [the setup](guide/setup.md#second) and ![a map](img/map.png).\n',
    },
    {
      path: 'docs/guide/setup.md',
      bytes: '# Set up\n\n## Second\n\n[Back](../README.md), [web](https://example.com/a.md)\n',
    },
    {
      path: 'docs/guide/deep/last.md',
      bytes: '[Up](../setup.md) [same](#last) <img src="../../img/map.png" alt="">\n',
    },
    { path: 'docs/img/map.png', bytes: png },
    { path: 'docs/img/other/map.png', bytes: Buffer.concat([png, png]) },
  ])
  const run = await importAll(writer, mine.id, { 'manual.zip': zip })
  assert.is(run.status, 'completed', run.reason)
  assert.equal(run.findings, [])
  assert.equal(
    run.pages.map(({ type, path }: { type: string; path: string }) => [type, path]),
    [
      ['page', 'README.md'],
      ['folder', 'guide/'],
      ['folder', 'guide/deep/'],
      ['page', 'guide/deep/last.md'],
      ['page', 'guide/setup.md'],
    ],
  )
  assert.equal(await pagesOf(mine.id), [
    'Docs',
    'Welcome',
    ['Guide', [['Deep', ['last']], 'Set up']],
  ])
  assert.match(await fileOf(mine, 'welcome.md'), /\[the setup\]\(guide\/set-up\.md#second\)/)
  assert.match(await fileOf(mine, 'welcome.md'), /!\[a map\]\(\.gitbook\/assets\/map\.png\)/)
  assert.match(
    await fileOf(mine, 'guide/set-up.md'),
    /\[Back\]\(\.\.\/welcome\.md\), \[web\]\(https/,
  )
  const last = await fileOf(mine, 'guide/deep/last.md')
  assert.match(last, /\[Up\]\(\.\.\/set-up\.md\) \[same\]\(#last\)/)
  assert.match(last, /<img src="\.\.\/\.\.\/\.gitbook\/assets\/map\.png" alt="">/)
  assert.ok(await fileOf(mine, '.gitbook/assets/map-1.png'))
  const { body } = await writer.get(`/v1/spaces/${mine.id}/links?status=broken`)
  assert.equal(body.items, [])
})

test('the table of contents of a folder gives order, titles and groups', async () => {
  const mine = await makeSpace(app)
  const zip = zipOf([
    {
      path: 'SUMMARY.md',
      bytes:
        '# Contents\n\n* [Second](b.md)\n  * [First](a.md)\n* [Web](https://example.com)\n\n## Group\n\n* [Third](c.md)\n* [Gone](gone.md)\n',
    },
    { path: 'a.md', bytes: 'a\n' },
    { path: 'b.md', bytes: 'b\n' },
    { path: 'c.md', bytes: '# C\n' },
    { path: 'unlisted.md', bytes: 'x\n' },
  ])
  const run = await importAll(writer, mine.id, { 'x.zip': zip })
  assert.is(run.status, 'completed', run.reason)
  assert.equal(await pagesOf(mine.id), [
    'Docs',
    ['Second', ['First']],
    'Web',
    ['Group', ['C', 'Gone']],
  ])
  assert.equal(
    run.findings.map(({ path }: { path: string }) => path),
    ['unlisted.md', 'gone.md'],
  )
  assert.match(run.findings[0].message, /not in the table of contents/)
})

test('an import goes into a change request, below a page', async () => {
  const { body: request } = await space.open(writer, 'Import')
  const { body: pages } = await writer.get(`/v1/spaces/${space.id}/content/pages`)
  const [{ id }] = pages.pages
  const head = await space.head()
  const run = await importAll(
    writer,
    space.id,
    { 'one.md': '# One\n', 'two.md': '[one](one.md)\n' },
    { changeRequest: request.id, page: id },
  )
  assert.is(run.status, 'completed', run.reason)
  assert.equal(run.target, { space: space.id, changeRequest: request.id, page: id })
  assert.is(await space.head(), head)
  assert.is(run.revision, await space.head(request.number))
  const { body } = await writer.get(
    `/v1/spaces/${space.id}/change-requests/${request.id}/content/pages`,
  )
  assert.equal((treeOf(body.pages) as unknown[])[0], ['Docs', ['One', 'two']])
})

test('what is not taken over is named', async () => {
  const zip = zipOf([
    { path: 'page.md', bytes: '# Page\n\n[gone](gone.md) ![gone](gone.png)\n' },
    { path: 'latin.md', bytes: Buffer.from([0x23, 0x20, 0xe9]) },
    { path: 'script.js', bytes: 'alert(1)' },
    { path: '.git/config', bytes: 'x' },
    { path: '__MACOSX/._page.md', bytes: 'x' },
    { path: 'link.md', bytes: '/etc/passwd', mode: 0o120777 },
    { path: 'page.md', bytes: 'again' },
    { path: 'empty.png', bytes: '' },
    { path: '.gitbook/includes/x.md', bytes: 'x' },
  ])
  const run = await importAll(writer, space.id, { 'odd.zip': zip })
  assert.is(run.status, 'completed', run.reason)
  assert.equal(
    run.findings.map(({ path, message }: Record<string, string>) => `${path}: ${message}`),
    [
      'script.js: The file is a script, a style or a program. It was left out.',
      '.git/config: The file is hidden. It was left out.',
      '__MACOSX/._page.md: The file was made by the operating system. It was left out.',
      'link.md: The entry is a symbolic link. It was left out.',
      'page.md: The zip has several files of this name. The first one counts.',
      '.gitbook/includes/x.md: The file is reusable content, which imports do not take over. It was left out.',
      'latin.md: The file is not text in UTF-8. It was left out.',
      'empty.png: The file is empty. It was left out.',
      'page.md: A link leads to "gone.md", which is not in these files.',
      'page.md: A link leads to "gone.png", which is not in these files.',
    ],
  )
})

for (const [what, file, reason] of [
  ['no zip', Buffer.from('hello'), /"x\.zip" is not a zip file, or it is damaged/],
  ['encrypted', zipOf([{ path: 'a.md', bytes: 'a', encrypted: true }]), /is encrypted/],
  [
    'out of its folder',
    zipOf([{ path: '../../a.md', bytes: 'a' }]),
    /path "\.\.\/\.\.\/a\.md", which leads out of the folder/,
  ],
  [
    'absolute',
    zipOf([{ path: '/etc/a.md', bytes: 'a' }]),
    /path "\/etc\/a\.md", which leads out of the folder/,
  ],
  [
    'larger than it says',
    zipOf([{ path: 'a.md', bytes: 'a'.repeat(1000), size: 10 }]),
    /damaged: too many bytes/,
  ],
  [
    'cut',
    zipOf([{ path: 'a.md', bytes: 'a'.repeat(10), checksum: 1 }]),
    /damaged: "a\.md" has other bytes/,
  ],
  [
    'a large file',
    zipOf([{ path: 'a.md', bytes: 'a', size: 4 * 1024 ** 2 }]),
    /"x\.zip\/a\.md" is larger than 3 MB/,
  ],
  [
    'a bomb',
    zipOf(
      Array.from({ length: 60 }, (_, i) => ({ path: `${i}.md`, bytes: 'a', size: 2 * 1024 ** 2 })),
    ),
    /larger than 100 MB together, unpacked/,
  ],
  [
    'many entries',
    zipOf(Array.from({ length: 10_001 }, (_, i) => ({ path: `${i}.txt`, bytes: '' }))),
    /has 10001 entries, more than 10000/,
  ],
  [
    'many pages',
    zipOf(Array.from({ length: 1_001 }, (_, i) => ({ path: `${i}.md`, bytes: 'a' }))),
    /more than 1000 pages/,
  ],
  ['no page', zipOf([{ path: 'a.png', bytes: png }]), /There is no page in these files/],
] as const)
  test(`a zip that is refused changes nothing: ${what}`, async () => {
    const head = await space.head()
    const run = await importAll(writer, space.id, { 'x.zip': file })
    assert.is(run.status, 'failed')
    assert.match(run.reason, reason)
    assert.is(await space.head(), head)
    const works = join(app.dataDir, 'prints/.work')
    assert.equal(existsSync(works) ? readdirSync(works) : [], [])
  })

test('requests that cannot be met are refused at once', async () => {
  const key = await upload(writer, 'a.md', '# A\n')
  const other = await makeSpace(app, { default_level: null })
  const refused = async (
    status: number,
    message: RegExp,
    ask: Promise<{ status: number; text: string }>,
  ) => {
    const reply = await ask
    assert.is(reply.status, status, reply.text)
    assert.match(reply.text, message)
  }
  const site = {
    source: { type: 'website', url: 'https://example.com' },
    target: { space: space.id },
  }
  await refused(400, /fetches no websites/, writer.post(imports, site))
  await refused(
    400,
    /You have no upload/,
    start(writer, space.id, ['uploads/12345678901234567890']),
  )
  await refused(400, /You have no upload/, start(app.admin, space.id, [key]))
  await refused(404, /There is no space/, start(writer, 'nope', [key]))
  await refused(404, /There is no space/, start(writer, other.id, [key]))
  await refused(
    404,
    /There is no change request/,
    start(writer, space.id, [key], { changeRequest: '99' }),
  )
  await refused(404, /There is no page/, start(writer, space.id, [key], { page: 'nope' }))
  await refused(403, /needs the role/, start(app.user('Rita', 'read'), space.id, [key]))
  const announced = await writer.post('/v1/orgs/acme/storage/upload', {
    file: { name: 'b.md', type: 'text/markdown', size: 3 },
    kind: 'import_file',
  })
  await refused(400, /has not arrived/, start(writer, space.id, [announced.body.key]))
  await refused(
    404,
    /There is no site/,
    writer.post(imports, {
      source: { type: 'file', files: [key] },
      target: { space: space.id },
      site: 'nope',
    }),
  )
})

test('runs are listed newest first for those who may edit their spaces', async () => {
  const mine = await makeSpace(app)
  const one = await importAll(writer, mine.id, { 'a.md': '# A\n' })
  const two = await importAll(writer, mine.id, { 'b.zip': 'x' })
  const ids = async (by: Actor, query: string) =>
    (await by.get(`${imports}?${query}`)).body.items.map(({ id }: { id: string }) => id)
  assert.equal(await ids(writer, `space=${mine.id}`), [two.id, one.id])
  assert.equal(await ids(writer, `space=${mine.id}&status=failed`), [two.id])
  assert.equal(await ids(writer, `space=${mine.id}&status=active`), [])
  assert.equal(await ids(writer, 'changeRequest=nope'), [])
  assert.equal(await ids(app.user('Rolf', 'read'), `space=${mine.id}`), [])
  const { body } = await writer.get(`${imports}?space=${mine.id}&limit=1`)
  assert.equal(
    body.items.map(({ id }: { id: string }) => id),
    [two.id],
  )
  assert.equal(await ids(writer, `space=${mine.id}&limit=1&page=${body.next.page}`), [one.id])
})

test('a run that waits is cancelled, and nothing of it is written', async () => {
  const head = await space.head()
  const key = await upload(writer, 'a.md', '# Never\n')
  // The lock of the space is held, so that the run cannot write.
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const holding = app.ctx.locks.run(`space ${space.id}`, () => held)
  const { body: run } = await start(writer, space.id, [key])
  const cancelled = await writer.post(`${imports}/${run.id}/cancel`)
  assert.is(cancelled.status, 200, cancelled.text)
  assert.is(cancelled.body.status, 'cancelled')
  release()
  await holding
  assert.is((await writer.post(`${imports}/${run.id}/cancel`)).status, 200)
  const done = await importAll(writer, space.id, { 'b.md': '# After\n' })
  assert.is(done.status, 'completed')
  const log = gitOutside(space.repo.dir, ['log', '--format=%s', `${head}..${done.revision}`])
  assert.is(log, 'Import After')
  assert.is((await writer.post(`${imports}/${done.id}/cancel`)).status, 409)
})

test('a repeated job of a completed run does nothing', async () => {
  const { runImport } = await import('../../../src/actions/importing/run-import.ts')
  const run = await importAll(writer, space.id, { 'a.md': '# Once\n' })
  await runImport(app.ctx, run.id, { signal: new AbortController().signal, attempt: 2 })
  assert.is(await space.head(), run.revision)
  assert.equal(await ended(writer, run.id), run)
})

test.run()
