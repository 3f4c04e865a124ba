import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { reindexSpace } from '../../../src/actions/upkeep/reindex.ts'
import { verifySpace } from '../../../src/actions/upkeep/verify-space.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'

let bench: SyncBench

const docs = {
  'README.md': '# Handbook\n',
  'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n',
}

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const order = (name: string) => ({
  url: `${bench.host.origin}/${name}.git`,
  ref: 'refs/heads/main',
  commitMessage: 'Publish the docs',
})
const folder = (space: string) => spaceFolder(bench.app.dataDir, space)

test('an empty remote gets the history unchanged', async () => {
  const dir = bench.remote('empty', {})
  const space = await bench.space()
  const operation = await bench.sync('export', space, order('empty'))
  assert.is(operation.state, 'success', operation.error)
  assert.is(gitOutside(dir, ['rev-parse', 'main']), bench.git(space, 'rev-parse', 'HEAD'))
})

test('after an import, an export without changes pushes and moves nothing', async () => {
  const dir = bench.remote('same', docs)
  const tip = gitOutside(dir, ['rev-parse', 'main'])
  const space = await bench.space()
  await bench.sync(
    'import',
    space,
    order('same') && { url: order('same').url, ref: 'refs/heads/main' },
  )
  const refs = bench.git(space, 'show-ref')

  bench.host.requests.length = 0
  const operation = await bench.sync('export', space, order('same'))

  assert.is(operation.state, 'success')
  assert.is(operation.revision, tip)
  assert.is(gitOutside(dir, ['rev-parse', 'main']), tip)
  assert.is(bench.git(space, 'show-ref'), refs)
  assert.not.ok(bench.host.requests.some(request => request.url.includes('receive-pack')))
})

test('changes become one commit on the remote, and both ends are the same', async () => {
  const dir = bench.remote('one', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: order('one').url, ref: 'refs/heads/main' })
  const tip = gitOutside(dir, ['rev-parse', 'main'])

  bench.commit(folder(space), { 'README.md': '# Handbook\n\nOne.\n' })
  const own = bench.commit(folder(space), { 'README.md': '# Handbook\n\nTwo.\n' })
  const operation = await bench.sync('export', space, order('one'))

  assert.is(operation.state, 'success', operation.error)
  const head = bench.git(space, 'rev-parse', 'HEAD')

  assert.is(gitOutside(dir, ['rev-parse', 'main']), head)
  assert.is(operation.revision, head)
  assert.is(
    bench.git(space, 'log', '-1', '--format=%P|%s', 'HEAD'),
    `${tip} ${own}|Publish the docs`,
  )
  assert.is(gitOutside(dir, ['rev-list', '--first-parent', '--count', `${tip}..main`]), '1')
  assert.is(bench.git(space, 'for-each-ref', 'refs/stemma/exports'), '')
  fsck({ dir: folder(space) })
})

test('published revisions before an export stay in the history of the space and its pages', async () => {
  const dir = bench.remote('history', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: order('history').url, ref: 'refs/heads/main' })
  bench.commit(folder(space), { 'README.md': '# Handbook\n\nOne.\n' }, 'One')
  bench.commit(folder(space), { 'README.md': '# Handbook\n\nTwo.\n' }, 'Two')
  bench.commit(dir, { 'theirs.md': '# Theirs\n' }, 'Theirs')
  await bench.sync('export', space, order('history'))
  bench.commit(folder(space), { 'README.md': '# Handbook\n\nThree.\n' }, 'Three')
  const revisions = async (query = '') => {
    const { body } = await bench.app.admin.get(`/v1/spaces/${space}/revisions${query}`)
    return body.items.map((item: { git: { message: string } }) => item.git.message.split('\n')[0])
  }

  assert.equal(await revisions(), ['Three', 'Publish the docs', 'Two', 'One', 'Begin'])
  assert.equal(await revisions('?path=README.md'), ['Three', 'Two', 'One', 'Begin'])
  assert.equal(await revisions('?path=theirs.md'), ['Publish the docs'])
  const row = findSpace(bench.app.ctx.store, space)
  if (!row) throw new Error('no space')
  assert.equal(await verifySpace(bench.app.ctx, row), [])
  await reindexSpace(bench.app.ctx, row)
  assert.equal(await revisions(), ['Three', 'Publish the docs', 'Two', 'One', 'Begin'])
})

test('new commits of the remote are merged; a conflict names the paths, and force prefers the space', async () => {
  const dir = bench.remote('diverged', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: order('diverged').url, ref: 'refs/heads/main' })
  bench.commit(dir, { 'theirs.md': '# Theirs\n' })
  bench.commit(folder(space), { 'ours.md': '# Ours\n' })
  const merged = await bench.sync('export', space, order('diverged'))

  assert.is(merged.state, 'success', merged.error)
  assert.is(gitOutside(dir, ['show', 'main:theirs.md']), '# Theirs')
  assert.is(gitOutside(dir, ['show', 'main:ours.md']), '# Ours')

  const theirs = bench.commit(dir, { 'README.md': '# Handbook\n\nTheirs.\n' })

  bench.commit(folder(space), { 'README.md': '# Handbook\n\nOurs.\n' })
  const failed = await bench.sync('export', space, order('diverged'))

  assert.is(failed.state, 'failure')
  const [conflict] = failed.conflicts
  assert.equal([conflict.path, conflict.type], ['README.md', 'content'])
  assert.equal(
    conflict.hunks.map(({ ours, theirs }: { ours: string; theirs: string }) => [ours, theirs]),
    [['\nOurs.\n', '\nTheirs.\n']],
  )
  assert.is(gitOutside(dir, ['rev-parse', 'main']), theirs)
  const forced = await bench.sync('export', space, { ...order('diverged'), force: true })

  assert.is(forced.state, 'success')
  assert.is(gitOutside(dir, ['show', 'main:README.md']), '# Handbook\n\nOurs.')
  assert.is(gitOutside(dir, ['rev-parse', 'main^1']), theirs)
})

test('an export to one folder of the remote leaves the rest unchanged', async () => {
  const files = Object.fromEntries(
    Object.entries(docs).map(([path, text]) => [`docs/${path}`, text]),
  )
  const dir = bench.remote('mono', { ...files, 'main.c': 'int main;\n' })
  const space = await bench.space()
  const part = { repoProjectDirectory: 'docs' }

  await bench.sync('import', space, { url: order('mono').url, ref: 'refs/heads/main', ...part })
  bench.commit(folder(space), { 'README.md': '# Handbook\n\nNew.\n', 'extra.md': '# Extra\n' })
  const operation = await bench.sync('export', space, { ...order('mono'), ...part })

  assert.is(operation.state, 'success', operation.error)
  assert.is(gitOutside(dir, ['show', 'main:docs/README.md']), '# Handbook\n\nNew.')
  assert.is(gitOutside(dir, ['show', 'main:main.c']), 'int main;')
  assert.is(
    gitOutside(dir, ['rev-parse', 'main:docs']),
    bench.git(space, 'rev-parse', 'HEAD^{tree}'),
  )
  const head = bench.git(space, 'rev-parse', 'HEAD')
  const tip = gitOutside(dir, ['rev-parse', 'main'])

  const again = await bench.sync('export', space, { ...order('mono'), ...part })

  assert.is(again.state, 'success')
  assert.is(gitOutside(dir, ['rev-parse', 'main']), tip)
  const back = await bench.sync('import', space, {
    url: order('mono').url,
    ref: 'refs/heads/main',
    ...part,
  })

  assert.is(back.revision, head)

  bench.commit(folder(space), { 'extra.md': null })
  await bench.sync('export', space, { ...order('mono'), ...part })
  assert.is(gitOutside(dir, ['ls-tree', '--name-only', 'main:docs']), 'README.md\nSUMMARY.md')
})

test('a standalone export leaves the space as it is, and what it is synchronised with', async () => {
  const linked = bench.remote('linked', docs)
  const dir = bench.remote('copy', { 'theirs.md': '# Theirs\n' })
  const space = await bench.space()
  await bench.sync('import', space, { url: order('linked').url, ref: 'refs/heads/main' })
  const head = bench.commit(folder(space), { 'ours.md': '# Ours\n' })
  const info = async () => (await bench.app.admin.get(`/v1/spaces/${space}/git/info`)).body
  const before = await info()
  const copy = { ...order('copy'), standalone: true, force: true }

  const operation = await bench.sync('export', space, copy)

  assert.is(operation.state, 'success', operation.error)
  assert.equal([operation.standalone, operation.revision], [true, head])
  assert.equal([operation.filesAdded, operation.filesRemoved], [3, 0])
  assert.is(gitOutside(dir, ['show', 'main:ours.md']), '# Ours')
  assert.is(gitOutside(dir, ['show', 'main:theirs.md']), '# Theirs')
  assert.is(bench.git(space, 'rev-parse', 'HEAD'), head)
  assert.equal(await info(), before)
  assert.is(bench.git(space, 'for-each-ref', 'refs/stemma/exports'), '')

  const tip = gitOutside(dir, ['rev-parse', 'main'])
  assert.is((await bench.sync('export', space, copy)).state, 'success')
  assert.is(gitOutside(dir, ['rev-parse', 'main']), tip)
  await bench.sync('export', space, order('linked'))
  assert.is(gitOutside(linked, ['rev-parse', 'main']), bench.git(space, 'rev-parse', 'HEAD'))
  const row = findSpace(bench.app.ctx.store, space)
  if (!row) throw new Error('no space')
  assert.equal(await verifySpace(bench.app.ctx, row), [])
})

test('a standalone export to a folder of a repository is not remembered', async () => {
  const dir = bench.remote('shelf', { 'main.c': 'int main;\n' })
  const space = await bench.space()
  const head = bench.commit(folder(space), { 'ours.md': '# Ours\n' })
  const part = { ...order('shelf'), repoProjectDirectory: 'docs', standalone: true }

  const operation = await bench.sync('export', space, part)

  assert.equal([operation.state, operation.revision], ['success', head], operation.error)
  assert.is(gitOutside(dir, ['show', 'main:docs/ours.md']), '# Ours')
  assert.is(gitOutside(dir, ['show', 'main:main.c']), 'int main;')
  assert.is(bench.git(space, 'for-each-ref', 'refs/stemma/projects'), '')
  assert.is((await bench.app.admin.get(`/v1/spaces/${space}/git/info`)).status, 404)
})

test('a protected branch is an error message, and the space stays unchanged', async () => {
  const dir = bench.remote('protected', docs)
  const space = await bench.space()
  await bench.sync('import', space, { url: order('protected').url, ref: 'refs/heads/main' })
  gitOutside(dir, ['config', 'receive.denyNonFastForwards', 'true'])
  gitOutside(dir, ['config', 'receive.hideRefs', 'refs/heads/main'])
  const own = bench.commit(folder(space), { 'README.md': '# Handbook\n\nNew.\n' })
  const failed = await bench.sync('export', space, order('protected'))

  assert.is(failed.state, 'failure')
  assert.match(failed.error, /refused the push/)
  assert.is(bench.git(space, 'rev-parse', 'HEAD'), own)
  assert.is(bench.git(space, 'for-each-ref', 'refs/stemma/exports'), '')
})

test.run()
