import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { gitOutside } from '../../support/git/repo.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const ref = 'refs/heads/main'
const theirs = {
  'code.c': 'x\n',
  'README.md': '# Theirs\n',
  'docs/a.md': '# A\n',
  'docs/both.md': 'theirs\n',
}
const ours = {
  'own.md': '# Own\n',
  'README.md': '# Ours\n',
  'docs/b.md': '# B\n',
  'docs/both.md': 'ours\n',
}

/** A remote and a space without a common history, and the outcome of operations between them. */
async function strangers(name: string) {
  const dir = bench.remote(name, theirs)
  const space = await bench.space()
  const { body } = await bench.app.admin.get(`/v1/spaces/${space}`)
  const folder = bench.git(space, 'rev-parse', '--absolute-git-dir')

  bench.commit(folder, ours)
  assert.is(body.id, space)
  const order = { url: `${bench.host.origin}/${name}.git`, ref }

  return {
    dir,
    space,
    files: (of: string, tree = 'main') =>
      gitOutside(of, ['ls-tree', '-r', '--name-only', tree]).split('\n'),
    folder,
    import: (more: object) => bench.sync('import', space, { ...order, ...more }),
    export: (more: object) =>
      bench.sync('export', space, { ...order, commitMessage: 'Publish', ...more }),
  }
}

type Counted = { filesAdded?: number; filesChanged?: number; filesRemoved?: number }
const counts = ({ filesAdded, filesChanged, filesRemoved }: Counted) => [
  filesAdded,
  filesChanged,
  filesRemoved,
]
const union = [
  'README.md',
  'SUMMARY.md',
  'code.c',
  'docs/a.md',
  'docs/b.md',
  'docs/both.md',
  'own.md',
]

test('histories without a common commit are refused by default, and the message names both options', async () => {
  const made = await strangers('none')
  for (const operation of [await made.import({}), await made.export({})]) {
    assert.is(operation.state, 'failure')
    assert.match(
      operation.error,
      /no commit in common.*"force" \(--force\).*"replace" \(--replace\)/,
    )
    assert.equal(counts(operation), [undefined, undefined, undefined])
  }
})

test('an import with force keeps files that only the space has; otherwise the repository wins', async () => {
  const made = await strangers('import-force')
  const before = bench.git(made.space, 'rev-parse', 'main:own.md')
  const operation = await made.import({ force: true })
  assert.is(operation.state, 'success', operation.error)
  assert.equal(made.files(made.folder), union)
  assert.is(bench.git(made.space, 'rev-parse', 'main:own.md'), before)
  assert.is(bench.git(made.space, 'show', 'main:README.md'), '# Theirs')
  assert.is(bench.git(made.space, 'show', 'main:docs/both.md'), 'theirs')
  assert.equal(counts(operation), [2, 2, 0])
  assert.match(bench.git(made.space, 'show', 'main:SUMMARY.md'), /Table of contents/)
})

test('an export with force keeps files that only the repository has; otherwise the space wins', async () => {
  const made = await strangers('export-force')
  const operation = await made.export({ force: true })
  assert.is(operation.state, 'success', operation.error)
  assert.equal(made.files(made.dir), union)
  assert.is(gitOutside(made.dir, ['show', 'main:code.c']), 'x')
  assert.is(gitOutside(made.dir, ['show', 'main:README.md']), '# Ours')
  assert.equal(counts(operation), [3, 2, 0])
  assert.equal(made.files(made.folder), union, 'both ends are the same')
})

test('replace leaves exactly the files of one side, with and without a common history', async () => {
  const made = await strangers('replace')
  const operation = await made.import({ replace: true })
  assert.is(operation.state, 'success', operation.error)
  assert.equal(made.files(made.folder), Object.keys(theirs).sort())
  assert.equal(counts(operation), [2, 2, 3])

  // The space has the whole history of the repository, and more.
  bench.commit(made.folder, { 'more.md': '# More\n' })
  const again = await made.import({ replace: true })

  assert.is(again.state, 'success', again.error)
  assert.equal(made.files(made.folder), Object.keys(theirs).sort())
  assert.equal(counts(again), [0, 0, 1])

  bench.commit(made.dir, { 'late.c': 'y\n' })
  const out = await made.export({ replace: true })

  assert.is(out.state, 'success', out.error)
  assert.equal(made.files(made.dir), Object.keys(theirs).sort())
  assert.equal(counts(out), [0, 0, 1])
  assert.is(gitOutside(made.dir, ['rev-parse', 'main']), bench.git(made.space, 'rev-parse', 'main'))
})

test('an export with replace removes additional files of the repository', async () => {
  const made = await strangers('ahead')
  await made.import({ force: true })
  await made.export({})
  bench.commit(made.dir, { 'late.c': 'y\n' })
  const same = await made.export({ force: true })

  assert.equal([same.state, counts(same)], ['success', [0, 0, 0]])
  assert.ok(made.files(made.dir).includes('late.c'))
  const out = await made.export({ replace: true })

  assert.equal([out.state, counts(out)], ['success', [0, 0, 1]], out.error)
  assert.equal(made.files(made.dir), union)
})

test('a folder is merged and replaced like a repository, and nothing outside it changes', async () => {
  const made = await strangers('folder')
  const part = { repoProjectDirectory: 'docs' }
  const joined = await made.export({ ...part, force: true })
  assert.is(joined.state, 'success', joined.error)
  const inFolder = [
    'README.md',
    'SUMMARY.md',
    'a.md',
    'both.md',
    'docs/b.md',
    'docs/both.md',
    'own.md',
  ]

  assert.equal(made.files(made.dir, 'main:docs'), inFolder)
  assert.is(gitOutside(made.dir, ['show', 'main:code.c']), 'x')
  const replaced = await made.export({ ...part, replace: true })

  assert.equal([replaced.state, counts(replaced)], ['success', [0, 0, 2]], replaced.error)
  assert.equal(made.files(made.dir, 'main:docs'), made.files(made.folder))
  assert.is(gitOutside(made.dir, ['show', 'main:README.md']), '# Theirs')
})

test('shown URLs are http or https and contain no credentials', async () => {
  const made = await strangers('addresses')
  for (const name of ['repoCommitURL', 'repoTreeURL'])
    for (const address of [
      'javascript:alert(1)//',
      'data:text/html,x',
      'file:///etc',
      '//example.org/x',
    ]) {
      const body = { url: `${bench.host.origin}/addresses.git`, ref, [name]: address }
      const { status } = await bench.app.admin.post(`/v1/spaces/${made.space}/git/import`, body)
      assert.is(status, 400, `${name} ${address}`)
    }

  const shown = 'https://me:secret@example.org/c/?access_token=secret#secret'
  const done = await made.import({ replace: true, repoCommitURL: shown, repoTreeURL: shown })

  assert.is(done.state, 'success', done.error)
  const { store } = bench.app.ctx
  const read = async () =>
    (await bench.app.admin.get(`/v1/spaces/${made.space}/revisions`)).body.items[0].git

  assert.is((await read()).url, `https://example.org/c/${done.revision}`)
  const { findGitSync, putGitSync } = await import('../../../src/store/git/git-sync.ts')
  const row = findGitSync(store, made.space)!

  assert.not.match(JSON.stringify(row), /secret/)
  putGitSync(store, { ...row, url: 'javascript:1', repo_commit_url: 'javascript:alert(1)//' })
  assert.is((await read()).url, undefined)
  const { body } = await bench.app.admin.get(`/v1/spaces/${made.space}/git/info`)

  assert.is(body.url, undefined)
})

test.run()
