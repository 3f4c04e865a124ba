import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'

let bench: SyncBench

const docs = {
  'README.md': '# Handbook\r\n\r\nWelcome.\r\n',
  'SUMMARY.md': '# Summary\n\n- [Handbook](README.md)\n- [Install](setup/install.md)\n',
  'setup/install.md': '# Install\n\nRun it.\n',
}

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const url = (name: string) => `${bench.host.origin}/${name}.git`
const head = (space: string, ref = 'HEAD') => bench.git(space, 'rev-parse', ref)

test('an untouched space takes over the history and the branch name', async () => {
  const dir = bench.remote('whole', docs, 'trunk')
  const tip = bench.commit(dir, { 'setup/more.md': '# More\n' }, 'More', 'trunk')
  const space = await bench.space()
  const operation = await bench.sync('import', space, {
    url: url('whole'),
    ref: 'refs/heads/trunk',
  })

  assert.is(operation.state, 'success')
  assert.is(operation.error, undefined)
  assert.is(operation.revision, tip)
  assert.is(operation.stage, 'finalize')
  assert.is(head(space), tip)
  assert.is(bench.git(space, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk')
  assert.is(
    bench.git(space, 'for-each-ref', '--format=%(refname)', 'refs/heads/'),
    'refs/heads/trunk',
  )
  fsck({ dir: spaceFolder(bench.app.dataDir, space) })
})

test('importing the same commit again changes nothing', async () => {
  bench.remote('twice', docs)
  const space = await bench.space()
  const first = await bench.sync('import', space, { url: url('twice'), ref: 'refs/heads/main' })
  const refs = bench.git(space, 'show-ref')
  const second = await bench.sync('import', space, { url: url('twice'), ref: 'refs/heads/main' })
  assert.is(second.state, 'success')
  assert.is(second.revision, first.revision)
  assert.is(bench.git(space, 'show-ref'), refs)
})

test('a space that is behind fast-forwards, one with its own commits gets a merge commit', async () => {
  const dir = bench.remote('forward', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: url('forward'), ref: 'refs/heads/main' })
  const tip = bench.commit(dir, { 'setup/install.md': '# Install\n\nRun it twice.\n' })
  const forward = await bench.sync('import', space, { url: url('forward'), ref: 'refs/heads/main' })

  assert.is(forward.revision, tip)

  const own = bench.commit(
    spaceFolder(bench.app.dataDir, space),
    { 'own.md': '# Own\n' },
    'By hand',
  )
  const theirs = bench.commit(dir, { 'theirs.md': '# Theirs\n' })
  const merged = await bench.sync('import', space, { url: url('forward'), ref: 'refs/heads/main' })

  assert.is(merged.state, 'success')
  assert.is(bench.git(space, 'log', '-1', '--format=%P', 'HEAD'), `${own} ${theirs}`)
  assert.is(bench.git(space, 'show', 'HEAD:own.md'), '# Own')
  assert.is(bench.git(space, 'show', 'HEAD:theirs.md'), '# Theirs')
  assert.match(bench.git(space, 'log', '-1', '--format=%B', 'HEAD'), /Stemma-Operation: import/)
})

test('a conflict ends the operation and names the paths; with force the remote wins and nothing is lost', async () => {
  const dir = bench.remote('conflict', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: url('conflict'), ref: 'refs/heads/main' })
  const own = bench.commit(
    spaceFolder(bench.app.dataDir, space),
    { 'setup/install.md': '# Install\n\nOurs.\n', 'ours.md': '# Ours\n' },
    'By hand',
  )

  bench.commit(dir, { 'setup/install.md': '# Install\n\nTheirs.\n' })
  const failed = await bench.sync('import', space, { url: url('conflict'), ref: 'refs/heads/main' })

  assert.is(failed.state, 'failure')
  assert.match(failed.error, /setup\/install\.md.*force/)
  const hunk = {
    base: docs['setup/install.md'].slice('# Install\n\n'.length),
    ours: 'Ours.\n',
    theirs: 'Theirs.\n',
    lines: { base: 3, ours: 3, theirs: 3 },
  }
  const [conflict] = failed.conflicts
  assert.equal([conflict.path, conflict.type], ['setup/install.md', 'content'])
  assert.equal(
    conflict.hunks.map(({ hunk: _, ...place }: { hunk: string }) => place),
    [hunk],
  )
  assert.is(head(space), own)

  const forced = await bench.sync('import', space, {
    url: url('conflict'),
    ref: 'refs/heads/main',
    force: true,
  })

  assert.is(forced.state, 'success')
  assert.is(bench.git(space, 'rev-parse', 'HEAD^1'), own)
  assert.is(bench.git(space, 'show', 'HEAD:setup/install.md'), '# Install\n\nTheirs.')
  assert.is(bench.git(space, 'show', 'HEAD:ours.md'), '# Ours')
  fsck({ dir: spaceFolder(bench.app.dataDir, space) })
})

test('histories without a common commit need force', async () => {
  bench.remote('stranger', docs)
  const space = await bench.space()
  const own = bench.commit(
    spaceFolder(bench.app.dataDir, space),
    { 'own.md': '# Own\n' },
    'By hand',
  )
  const failed = await bench.sync('import', space, { url: url('stranger'), ref: 'refs/heads/main' })

  assert.is(failed.state, 'failure')
  assert.match(failed.error, /no commit in common/)
  assert.is(head(space), own)
  const forced = await bench.sync('import', space, {
    url: url('stranger'),
    ref: 'refs/heads/main',
    force: true,
  })

  assert.is(forced.state, 'success')
  assert.is(bench.git(space, 'rev-parse', 'HEAD^1'), own)
})

test('a rewritten branch removes its dropped content here, and keeps content of the space', async () => {
  const dir = bench.remote('rewritten', { ...docs, 'mine.md': '# Mine\n' })
  const begin = gitOutside(dir, ['rev-parse', 'main'])
  const space = await bench.space()
  const from = { url: url('rewritten'), ref: 'refs/heads/main' }
  const files = () => bench.git(space, 'ls-tree', '-r', '--name-only', 'HEAD').split('\n')
  const again = (commit: string, changes: Record<string, string | null>) => {
    gitOutside(dir, ['update-ref', 'refs/heads/main', commit])
    return bench.commit(dir, changes)
  }

  bench.commit(dir, { 'secret.md': '# A slip\n', 'README.md': '# Handbok\n' })
  await bench.sync('import', space, from)
  const repo = spaceFolder(bench.app.dataDir, space)

  // Amended, without edits here.
  const amended = again(begin, { 'README.md': '# Handbook\n' })
  const first = await bench.sync('import', space, from)

  assert.is(first.state, 'success', first.error)
  assert.is(
    bench.git(space, 'rev-parse', 'HEAD^{tree}'),
    gitOutside(dir, ['rev-parse', 'main^{tree}']),
  )
  assert.is(bench.git(space, 'rev-parse', 'HEAD^2'), amended)

  // Reset, which has no effect yet, then continued; with an edit here.
  bench.commit(dir, { 'late.md': '# Late\n' })
  await bench.sync('import', space, from)
  bench.commit(repo, { 'own.md': '# Own\n', 'mine.md': '# Mine, edited\n' }, 'By hand')
  gitOutside(dir, ['update-ref', 'refs/heads/main', amended])
  await bench.sync('import', space, from)
  assert.ok(files().includes('late.md'))
  bench.commit(dir, { 'other.md': '# Other\n' })
  await bench.sync('import', space, from)
  assert.equal(files(), [
    'README.md',
    'SUMMARY.md',
    'mine.md',
    'other.md',
    'own.md',
    'setup/install.md',
  ])

  // Restarted without a common commit.
  gitOutside(dir, ['update-ref', '-d', 'refs/heads/main'])
  bench.commit(dir, { ...docs, 'mine.md': '# Mine\n', 'fresh.md': '# Fresh\n' })
  const anew = await bench.sync('import', space, from)

  assert.is(anew.state, 'success', anew.error)
  assert.equal(files(), [
    'README.md',
    'SUMMARY.md',
    'fresh.md',
    'mine.md',
    'own.md',
    'setup/install.md',
  ])
  assert.is(bench.git(space, 'show', 'HEAD:mine.md'), '# Mine, edited')

  // Changes of both sides still conflict; an export does not bring dropped content back.
  again(begin, { 'mine.md': '# Theirs\n' })
  const { conflicts } = await bench.sync('import', space, from)
  assert.equal(
    conflicts.map(({ path, type }: { path: string; type: string }) => [path, type]),
    [['mine.md', 'content']],
  )
  again(begin, { 'new.md': '# New\n' })
  const out = await bench.sync('export', space, from)

  assert.is(out.state, 'success', out.error)
  assert.match(gitOutside(dir, ['log', '-1', '--format=%s', 'main']), 'Export from Stemma')
  const there = gitOutside(dir, ['ls-tree', '-r', '--name-only', 'main']).split('\n')

  assert.equal(there, [
    'README.md',
    'SUMMARY.md',
    'mine.md',
    'new.md',
    'own.md',
    'setup/install.md',
  ])

  // A force push over our export does not drop content written here, even after another import.
  await bench.sync('import', space, from)
  again(begin, { 'last.md': '# Last\n' })
  await bench.sync('import', space, from)
  for (const path of ['own.md', 'last.md']) assert.ok(files().includes(path), path)
  assert.is(bench.git(space, 'show', 'HEAD:mine.md'), '# Mine, edited')
  fsck({ dir: repo })
})

test('standalone creates a revision without moving the primary content', async () => {
  const dir = bench.remote('beside', docs)
  const space = await bench.space()
  const before = head(space)
  const tip = gitOutside(dir, ['rev-parse', 'main'])
  const operation = await bench.sync('import', space, {
    url: url('beside'),
    ref: 'refs/heads/main',
    standalone: true,
  })

  assert.is(operation.state, 'success')
  assert.is(operation.standalone, true)
  assert.is(operation.revision, tip)
  assert.is(head(space), before)
  assert.is(head(space, `refs/stemma/keep/${tip}`), tip)
  assert.is((await bench.app.admin.get(`/v1/spaces/${space}/git/info`)).status, 404)
})

test('one folder of a repository becomes the space, commit by commit', async () => {
  const files = Object.fromEntries(
    Object.entries(docs).map(([path, text]) => [`docs/${path}`, text]),
  )
  const dir = bench.remote('mono', { ...files, 'src/main.c': 'int main;\n' })
  const space = await bench.space()
  const body = { url: url('mono'), ref: 'refs/heads/main', repoProjectDirectory: '/docs/' }
  const first = await bench.sync('import', space, body)

  assert.is(first.state, 'success', first.error)
  assert.is(
    bench.git(space, 'rev-parse', 'HEAD^{tree}'),
    gitOutside(dir, ['rev-parse', 'main:docs']),
  )
  const source = bench.commit(dir, { 'src/main.c': 'int x;\n' }, 'Code only')
  const unchanged = await bench.sync('import', space, body)

  assert.is(unchanged.revision, first.revision)
  const changed = bench.commit(dir, { 'docs/setup/install.md': '# Install\n\nAnew.\n' }, 'Docs too')
  const next = await bench.sync('import', space, body)

  assert.is(bench.git(space, 'rev-parse', 'HEAD^'), first.revision)
  assert.match(
    bench.git(space, 'log', '-1', '--format=%B'),
    new RegExp(`Stemma-Source: ${changed}`),
  )
  assert.not.match(bench.git(space, 'log', '--format=%B'), new RegExp(source))
  assert.is(next.state, 'success')

  const missing = await bench.sync('import', space, { ...body, repoProjectDirectory: 'nowhere' })

  assert.match(missing.error, /no folder "nowhere"/)
})

test('a page keeps its id when an import renames its file', async () => {
  const dir = bench.remote('rename', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: url('rename'), ref: 'refs/heads/main' })
  bench.commit(dir, {
    'setup/install.md': null,
    'guides/setup.md': docs['setup/install.md'],
    'SUMMARY.md': docs['SUMMARY.md'].replace('setup/install.md', 'guides/setup.md'),
  })
  await bench.sync('import', space, { url: url('rename'), ref: 'refs/heads/main' })
  const note = bench.git(space, 'notes', '--ref=stemma/identity', 'show', 'HEAD')

  assert.match(note, /^guides\/setup\.md\t[0-9A-Za-z]{20}$/)
})

test('problems of the remote are reported in one sentence', async () => {
  const dir = bench.remote('sentences', docs)
  const space = await bench.space()
  const branch = await bench.sync('import', space, {
    url: url('sentences'),
    ref: 'refs/heads/nope',
  })

  assert.match(branch.error, /no branch "nope"/)
  const none = await bench.sync('import', space, {
    url: url('nothing-here'),
    ref: 'refs/heads/main',
  })

  assert.match(none.error, /no repository at this URL/)
  bench.host.mode = { redirect: 'http://127.0.0.1:1' }
  const moved = await bench.sync('import', space, { url: url('sentences'), ref: 'refs/heads/main' })

  bench.host.mode = { status: 500, body: 'secret words of the inner server' }
  const broken = await bench.sync('import', space, {
    url: url('sentences'),
    ref: 'refs/heads/main',
  })

  bench.host.mode = 'serve'
  assert.match(moved.error, /redirect|elsewhere/)
  assert.is(broken.state, 'failure')
  assert.not.match(JSON.stringify(broken), /secret words/)
  assert.ok(dir)
})

test('operations run in the order of their timestamps, and older ones are refused', async () => {
  bench.remote('order', docs)
  const space = await bench.space()
  const body = { url: url('order'), ref: 'refs/heads/main' }
  await bench.sync('import', space, { ...body, timestamp: '2026-05-02T00:00:00Z' })
  const stale = await bench.app.admin.post(`/v1/spaces/${space}/git/import`, {
    ...body,
    timestamp: '2026-05-01T00:00:00Z',
  })

  assert.is(stale.status, 400)
  assert.match(stale.body.error.message, /older/)
  const forced = await bench.sync('import', space, {
    ...body,
    timestamp: '2026-05-01T00:00:00Z',
    force: true,
  })

  assert.is(forced.state, 'success')
  const list = await bench.app.admin.get(`/v1/spaces/${space}/git/operations?limit=1`)

  assert.is(list.body.items[0].id, forced.id)
  const rest = await bench.app.admin.get(
    `/v1/spaces/${space}/git/operations?limit=1&page=${encodeURIComponent(list.body.next.page)}`,
  )

  assert.is(rest.body.count, 1)
  assert.is(rest.body.next, undefined)
})

test('git/info shows the last sync and can be deleted', async () => {
  bench.remote('info', docs)
  const space = await bench.space()
  const { admin } = bench.app
  assert.is((await admin.get(`/v1/spaces/${space}/git/info`)).status, 404)
  await bench.sync('import', space, {
    url: url('info'),
    ref: 'refs/heads/main',
    gitInfo: { provider: 'github', url: 'https://github.com/acme/docs' },
  })
  const info = await admin.get(`/v1/spaces/${space}/git/info`)

  assert.is(info.body.installationProvider, 'github')
  assert.is(info.body.url, 'https://github.com/acme/docs')
  assert.is(info.body.repoName, 'info')
  assert.is((await admin.delete(`/v1/spaces/${space}/git/legacy-installation`)).status, 204)
  assert.is((await admin.delete(`/v1/spaces/${space}/git/legacy-installation`)).status, 204)
  assert.is((await admin.get(`/v1/spaces/${space}/git/info`)).status, 404)
})

test('an import tells what its revision contains that is not understood, in its own answer', async () => {
  bench.remote('findings', { ...docs, 'README.md': '# Handbook\n\n[a](gone.md) [b](gone.md)\n' })
  const space = await bench.space()
  const operation = await bench.sync('import', space, {
    url: url('findings'),
    ref: 'refs/heads/main',
  })
  const at = `/v1/spaces/${space}/git/operations`
  const { body } = await bench.app.admin.get(`${at}/${operation.id}`)
  assert.equal(body.findings, ['2 broken links: README.md:3, README.md:3'])
  assert.equal(body.findingCounts, { 'broken-link': 2 })
  const { body: listed } = await bench.app.admin.get(at)
  assert.is(listed.items[0].findings, undefined)
})

test.run()
