import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { startStemma, stemmaHere } from './stemma.ts'

const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-publish-'))
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})

const env = { STEMMA_URL: app.url, STEMMA_TOKEN: app.admin.token }
const run = (...args: string[]) => stemmaHere(['publish', ...args, '--org', 'acme'], env)

/** Creates a folder with these files; `name` is its path. */
function folder(name: string, files: Record<string, string>): string {
  const path = join(top, name)
  mkdirSync(path, { recursive: true })
  for (const [file, text] of Object.entries(files)) put(path, file, text)
  return path
}

function put(path: string, file: string, text: string): void {
  mkdirSync(dirname(join(path, file)), { recursive: true })
  writeFileSync(join(path, file), text)
}

async function published(...args: string[]) {
  const { code, stdout, stderr } = await run(...args)
  assert.is(code, 0, stderr)
  return { address: stdout.trimEnd(), stderr }
}

async function facts(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  assert.is(code, 0, stderr)
  return JSON.parse(stdout)
}

const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args])

const repositoryOf = (space: string) =>
  join(app.dataDir, 'spaces', space.slice(0, 2), `${space}.git`)

/** Returns what is in the primary branch of a space: mode and path of each file. */
const tree = (space: string): string[] =>
  String(git(repositoryOf(space), 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'main'))
    .trim()
    .split('\n')

const commits = (space: string): number =>
  Number(git(repositoryOf(space), 'rev-list', '--count', 'main'))

test('a folder becomes a space and a public site, with the bytes of its files', async () => {
  const path = folder('handbook', {
    'README.md': '# Handbook\r\n\r\nHello.',
    'SUMMARY.md': '# Contents\n\n* [Handbook](README.md)\n',
    '.gitbook.yaml': 'structure:\n  readme: README.md\n',
    '.gitbook/assets/a.bin': '\0\u0001x',
    '.env': 'SECRET=1',
    '.cache/x.md': '# Cache\n',
    'node_modules/p/readme.md': '# Package\n',
    'tools/run.sh': '#!/bin/sh\n',
  })

  chmodSync(join(path, 'tools/run.sh'), 0o755)
  const { address, stderr } = await published(path)
  assert.match(address, /\/sites\/acme\/handbook\/$/)
  assert.match(
    stderr,
    /Created the site "handbook" with the space \w+\.\n5 files added, 0 changed, 0 removed\./,
  )
  const { site, space } = await facts(path)

  assert.equal([site.title, site.published, site.visibility], ['Handbook', true, 'public'])
  assert.equal(tree(space), [
    '100644 .gitbook.yaml',
    '100644 .gitbook/assets/a.bin',
    '100644 README.md',
    '100644 SUMMARY.md',
    '100755 tools/run.sh',
  ])
  assert.is(String(git(repositoryOf(space), 'show', 'main:README.md')), '# Handbook\r\n\r\nHello.')
  assert.is(
    String(git(repositoryOf(space), 'log', '-1', '--format=%an %cn %s', 'main')),
    'Ada Stemma Publish handbook\n',
  )
})

test('drafts, and pages that the table of contents does not list, are named', async () => {
  const path = folder('named', {
    'README.md': '# Named\n',
    'SUMMARY.md': '# Contents\n\n* [Named](README.md)\n* [Soon](soon.md)\n',
    'new.md': '# New\n',
    'soon.md': '---\ndraft: true\n---\n# Soon\n',
  })
  const first = await published(path)
  assert.match(
    first.stderr,
    '1 page is not in the table of contents: new.md\n1 draft left out: soon.md\n',
  )
  for (const name of ['b.md', 'c.md', 'd.md']) put(path, name, '# Text\n')

  assert.equal((await facts(path)).findings, [
    '4 pages are not in the table of contents: b.md, c.md, d.md and 1 more',
    '1 draft left out: soon.md',
  ])
})

/** Starts a run and kills it when it sends a request, which does not reach the server. */
async function killedAt(
  isLast: (method: string, path: string) => boolean,
  ...args: string[]
): Promise<void> {
  const { port } = new URL(app.url)
  let reach = () => {}
  const reached = new Promise<void>(resolve => {
    reach = resolve
  })
  const between = createServer((req, res) => {
    const { method = '', url = '', headers } = req
    if (isLast(method, url)) return reach()
    const sent = request({ port, host: '127.0.0.1', method, path: url, headers }, answer => {
      res.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(res)
    })
    req.pipe(sent)
  })

  await new Promise<void>(done => between.listen(0, '127.0.0.1', done))

  try {
    const { port: through } = between.address() as AddressInfo
    const running = startStemma(['publish', ...args, '--org', 'acme'], {
      ...env,
      STEMMA_URL: `http://127.0.0.1:${through}`,
    })
    await reached
    running.kill('SIGKILL')
    await running.ended
  } finally {
    between.closeAllConnections()
    between.close()
  }
}

/** Returns the sites or spaces with a title. */
async function titled(
  kind: 'sites' | 'spaces',
  wanted: string,
): Promise<{ id: string; basename?: string }[]> {
  const { body } = await app.admin.get(`/v1/orgs/acme/${kind}?limit=200`)
  return body.items.filter(({ title }: { title: string }) => title === wanted)
}

test('a run that was killed before it placed its space is continued by the next one', async () => {
  const path = folder('killed', { 'README.md': '# Killed\n' })
  await killedAt((method, url) => method === 'POST' && url.endsWith('/site-spaces'), path)
  const [left] = await titled('spaces', 'Killed')
  const { space } = await facts(path)
  assert.is(space, left?.id)
  assert.is((await titled('spaces', 'Killed')).length, 1)
  assert.equal(tree(space), ['100644 README.md'])
})

test('a run that was killed before it named its site is continued by the next one', async () => {
  const path = folder('unnamed', { 'README.md': '# Unnamed\n' })
  const title = 'Quite another title'
  await killedAt(method => method === 'PATCH', path, '--title', title)
  const [left] = await titled('sites', title)

  assert.is.not(left?.basename, 'unnamed')
  const { site, space } = await facts(path, '--title', title)

  assert.equal([site.id, site.basename, site.published], [left?.id, 'unnamed', true])
  assert.equal(
    (await titled('sites', title)).map(({ id }) => id),
    [site.id],
  )
  assert.equal(tree(space), ['100644 README.md'])
})

test('running it again updates the same space; unchanged files make no commit', async () => {
  const path = folder('again/docs', {
    'README.md': '# Start\n',
    'old.md': '# Old\n',
    'move.md': `# Move\n\n${'Some text.\n'.repeat(30)}`,
  })
  const first = await facts(path)
  assert.is(first.site.basename, 'again-docs')
  const before = commits(first.space)
  const same = await facts(path)

  assert.equal(
    [same.space, same.site.id, same.revision],
    [first.space, first.site.id, first.revision],
  )
  assert.is(commits(first.space), before)
  const page = (await app.admin.get(`/v1/spaces/${first.space}/content/path/move`)).body

  rmSync(join(path, 'old.md'))
  mkdirSync(join(path, 'new'))
  renameSync(join(path, 'move.md'), join(path, 'new/place.md'))
  put(path, 'README.md', '# Start\n\nMore.\n')
  const { stderr } = await published(path)

  assert.match(stderr, /Updating the site "again-docs"/)
  assert.match(stderr, /1 file added, 1 changed, 2 removed\./)
  assert.is(
    (await app.admin.get(`/v1/spaces/${first.space}/content/path/new/place`)).body.id,
    page.id,
  )
  assert.equal(tree(first.space), ['100644 README.md', '100644 new/place.md'])
  assert.is(commits(first.space), before + 1)
})

test('in a work tree, ignored files are left out, and the repository names the site', async () => {
  const root = folder('clone', {
    '.gitignore': '*.tmp\n/docs/build/\n',
    'docs/README.md': '# Start\n',
    'docs/new.md': '# Not added yet\n',
    'docs/a.tmp': 'x',
    'docs/build/out.md': '# Out\n',
    'docs/gone.md': '# Gone\n',
    'src/code.ts': '',
  })

  git(root, 'init', '-q')
  git(root, 'remote', 'add', 'origin', 'git@git.example.org:team/Pay_API.git')
  git(root, 'add', 'docs/README.md', 'docs/gone.md')
  rmSync(join(root, 'docs/gone.md'))
  const { site, space } = await facts(join(root, 'docs'))

  assert.equal([site.basename, site.title], ['pay_api-docs', 'Pay api docs'])
  assert.equal(tree(space), ['100644 README.md', '100644 new.md'])
  const whole = await facts(root)

  assert.is(whole.site.basename, 'pay_api')
  assert.equal(tree(whole.space), [
    '100644 docs/README.md',
    '100644 docs/new.md',
    '100644 src/code.ts',
  ])

  // A clone of a bundle has its file as its origin.
  git(root, 'remote', 'set-url', 'origin', '/home/ada/saleae.bundle')
  const ofBundle = (await facts(root)).site
  assert.equal([ofBundle.basename, ofBundle.title], ['saleae', 'Saleae'])

  // A pattern that takes a folder back is none that ignores it.
  writeFileSync(join(root, '.gitignore'), '*.tmp\n/docs/*\n!/docs/build/\n')
  writeFileSync(join(root, 'docs/build/b.tmp'), 'x')
  assert.equal(tree((await facts(join(root, 'docs/build'))).space), ['100644 out.md'])
  writeFileSync(join(root, '.gitignore'), '*.tmp\n/docs/build/\n')
  rmSync(join(root, 'docs/build/b.tmp'))

  // A folder that Git ignores is published when it is named.
  assert.equal(tree((await facts(join(root, 'docs/build'))).space), ['100644 out.md'])
})

test('a symbolic link inside is a copy of its file, and one that leads out is left out', async () => {
  const path = folder('links', { 'README.md': '# Start\n', 'sub/a.md': '# A\n' })
  folder('elsewhere', { 'secret.md': '# Secret\n' })
  symlinkSync('README.md', join(path, 'copy.md'))
  symlinkSync('../elsewhere/secret.md', join(path, 'out.md'))
  symlinkSync('../elsewhere', join(path, 'folder'))
  symlinkSync('nothing', join(path, 'broken.md'))
  const { stderr } = await published(path)

  for (const link of ['out.md', 'folder', 'broken.md'])
    assert.match(stderr, new RegExp(`Left out: ${link},`))
  assert.equal(tree((await facts(path)).space), [
    '100644 README.md',
    '100644 copy.md',
    '100644 sub/a.md',
  ])
})

test('options name the site, its title, its audience and the space', async () => {
  const path = folder('options', { 'README.md': '# Start\n' })
  const { site, space } = await facts(path, '--site', 'guide', '--title', 'The guide', '--unlisted')
  assert.equal([site.basename, site.title, site.visibility], ['guide', 'The guide', 'unlisted'])
  const again = await facts(path, '--space', space, '--title', 'Our guide')

  assert.equal(
    [again.site.id, again.site.title, again.site.visibility],
    [site.id, 'Our guide', 'unlisted'],
  )
  const other = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Other', empty: true })).body
    .id
  const made = await facts(path, '--space', other)

  assert.equal([made.site.basename, made.space], ['options', other])
  const gone = await app.admin.delete(`/v1/spaces/${other}`)

  assert.is(gone.status, 204)

  // The space was deleted: the site gets a new one.
  assert.is.not((await facts(path)).space, other)
})

test('content from elsewhere, and edits in the space, are not overwritten unasked', async () => {
  const path = folder('careful', { 'README.md': '# Start\n\nOne.\n' })
  const mine = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Mine' })).body.id
  const change = { operation: 'insert_page', title: 'Page', document: { markdown: 'Text.\n' } }
  await app.admin.post(`/v1/spaces/${mine}/content`, { changes: [change] })
  const refused = await run(path, '--space', mine, '--site', 'mine')

  assert.is(refused.code, 1)
  assert.match(refused.stderr, /does not come from a folder\. Use --force .* or --replace/)
  assert.is((await run(path, '--space', mine, '--site', 'mine', '--replace')).code, 0)
  const [page] = (await app.admin.get(`/v1/spaces/${mine}/content/pages`)).body.pages
  const edit = {
    operation: 'update_page',
    page: page.id,
    document: { markdown: '# Start\n\nEdited.\n' },
  }

  await app.admin.post(`/v1/spaces/${mine}/content`, { changes: [edit] })
  put(path, 'README.md', '# Start\n\nTwo.\n')
  const conflict = await run(path, '--site', 'mine')

  assert.is(conflict.code, 1)
  assert.match(conflict.stderr, /both changed README\.md\. .*--force/)
  assert.is((await run(path, '--site', 'mine', '--force')).code, 0)
})

test('a folder that is too large for one request is sent in parts', async () => {
  const path = folder('large', { 'README.md': '# Start\n' })
  for (const name of ['a', 'b', 'c']) put(path, `${name}.bin`, name.repeat(9_000_000))
  const { space, filesAdded, filesChanged } = await facts(path)
  assert.equal(tree(space).length, 4)
  assert.is(commits(space), 3)
  assert.equal([filesAdded, filesChanged], [4, 0])
})

test('every refusal is one line that says what to do, and creates nothing', async () => {
  const count = async () => (await app.admin.get('/v1/orgs/acme/sites')).body.count
  const sites = await count()
  const empty = folder('empty', { '.env': 'x' })
  const large = folder('huge', { 'video.mp4': 'x'.repeat(19_100_000) })
  const path = folder('fine', { 'README.md': '# Start\n' })
  const cases: [args: string[], env: Record<string, string>, sentence: RegExp, code: number][] = [
    [[join(top, 'nothing')], env, /^There is no folder .*nothing\./, 1],
    [[join(path, 'README.md')], env, /README\.md is a file\. Name its folder\./, 1],
    [[empty], env, /^There is nothing to publish in /, 1],
    [[large], env, /^video\.mp4 has 20 MB\. .*stemma import/, 1],
    [
      [path],
      { STEMMA_URL: 'http://127.0.0.1:9', STEMMA_TOKEN: 'x' },
      /"stemma serve" starts a server/,
      1,
    ],
    [[path], { STEMMA_URL: app.url }, /^Set STEMMA_TOKEN .*stemma login/, 2],
    [[path, '--org', 'nowhere'], env, /nowhere/, 1],
    [[path, '--site', 'a b'], env, /"a b" cannot be a basename/, 1],
    [[path, '--space', 'nothing'], env, /nothing/, 1],
  ]

  for (const [args, settings, sentence, code] of cases) {
    const given = args.includes('--org') ? args : [...args, '--org', 'acme']
    const got = await stemmaHere(['publish', ...given], { HOME: top, ...settings })
    assert.equal([got.code, got.stdout], [code, ''], `${args} ${got.stderr}`)
    assert.match(got.stderr, sentence)
    assert.is(got.stderr.trimEnd().split('\n').length, 1, got.stderr)
  }

  assert.is(await count(), sites)
})

test('--watch publishes every change, goes on after a failure, and ends on Ctrl+C', async () => {
  const path = folder('watched', { 'README.md': '# Start\n\nOne.\n' })
  const watching = startStemma(['publish', path, '--org', 'acme', '--watch'], env)
  await watching.says(/Watching for changes/)
  put(path, 'README.md', '# Start\n\nTwo.\n')
  await watching.says(/\d\d:\d\d:\d\d 0 files added, 1 changed, 0 removed: http\S+\/watched\//)
  put(path, 'new/folder/page.md', '# Page\n')
  await watching.says(/1 file added, 0 changed, 0 removed: /)
  put(path, 'new/folder/page.md', '# Page\n\nText.\n')
  await watching.says(/(?:0 files added, 1 changed[\s\S]*){2}/)
  put(path, 'video.mp4', 'x'.repeat(19_100_000))
  await watching.says(/video\.mp4 has 20 MB/)
  rmSync(join(path, 'video.mp4'))
  rmSync(join(path, 'new'), { recursive: true })
  await watching.says(/0 files added, 0 changed, 1 removed/)
  watching.kill('SIGINT')
  const { code, stdout } = await watching.ended

  assert.is(code, 0)
  assert.is(stdout.trimEnd().split('\n').length, 5, stdout)
})

test('broken links are told after publishing, the first by its place', async () => {
  const path = folder('broken', { 'README.md': '# Home\n\n[gone](gone.md)\n' })
  const one = await published(path)
  assert.match(one.stderr, /^1 broken link in README\.md, line 3: gone\.md$/m)
  put(path, 'more.md', '# More\n\n[away](away.md)\n')
  const two = await published(path)

  assert.match(
    two.stderr,
    /^2 broken links, the first in README\.md, line 3: gone\.md\. All: GET http\S+\/links\?status=broken$/m,
  )
  assert.is((await facts(path)).brokenLinks, 2)
  put(path, 'README.md', '# Home\n')
  put(path, 'more.md', '# More\n')
  assert.not.match((await published(path)).stderr, 'broken link')
})

test.run()
