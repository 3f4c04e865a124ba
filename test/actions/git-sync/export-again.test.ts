import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { runGitSync } from '../../../src/actions/git-sync/run-git-sync.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { findGitSyncRun, insertGitSyncRun } from '../../../src/store/git/git-sync.ts'
import { takeFromFolders } from '../../support/git/from-folder.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

/** Queues an export as the API does, and leaves running it to the test. */
function writeDown(space: string, id: string, url: string): void {
  const { ctx, admin } = bench.app
  const at = new Date().toISOString()
  insertGitSyncRun(ctx.store, {
    id,
    space_id: space,
    direction: 'export',
    state: 'queued',
    stage: null,
    completed_tasks: 0,
    dispatched_tasks: 0,
    ref: 'refs/heads/main',
    url,
    request: { commitMessage: 'Publish' },
    sealed: ctx.keys.seal('git remote', url),
    timestamp: at,
    revision: null,
    error: null,
    created_by: admin.id,
    created_at: at,
    started_at: null,
    updated_at: at,
    completed_at: null,
  })
}

/** A remote that accepts a push and does not answer until the returned function is called. */
function holdBack(dir: string): () => void {
  const hold = join(dir, 'hold')
  const hook = join(dir, 'hooks/post-receive')
  mkdirSync(join(dir, 'hooks'), { recursive: true })
  writeFileSync(hold, '')
  writeFileSync(hook, `#!/bin/sh\nwhile [ -e '${hold}' ]; do sleep 0.05; done\n`)
  chmodSync(hook, 0o755)

  return () => {
    rmSync(hold)
    rmSync(hook)
  }
}

for (const edited of [false, true])
  test(`an export interrupted between its push and its rows is recognised behind later pushes${edited ? ', and later edits of the space are kept' : ''}`, async () => {
    const { ctx } = bench.app
    const name = edited ? 'edited' : 'again'
    const url = `${bench.host.origin}/${name}.git`
    const dir = bench.remote(name, { 'README.md': '# Handbook\n' })
    const space = await bench.space()
    const folder = spaceFolder(bench.app.dataDir, space)

    await bench.sync('import', space, { url, ref: 'refs/heads/main' })
    const before = gitOutside(dir, ['rev-parse', 'main'])

    bench.commit(folder, { 'README.md': '# Handbook\n\nOne.\n' })
    await takeFromFolders()
    const id = `export-${name}`

    writeDown(space, id, url)

    const release = holdBack(dir)
    const stopped = new AbortController()
    const first = runGitSync(ctx, space, { attempt: 1, signal: stopped.signal }).then(
      () => assert.unreachable('it should have been stopped'),
      () => {},
    )

    while (gitOutside(dir, ['rev-parse', 'main']) === before)
      await new Promise(done => setTimeout(done, 20))
    const exported = gitOutside(dir, ['rev-parse', 'main'])

    stopped.abort()
    await first
    release()
    assert.is.not(bench.git(space, 'rev-parse', 'HEAD'), exported)

    bench.commit(dir, { 'theirs.md': '# Theirs\n' })
    if (edited) bench.commit(folder, { 'ours.md': '# Ours\n' })
    await takeFromFolders()

    const tip = gitOutside(dir, ['rev-parse', 'main'])

    await runGitSync(ctx, space, { attempt: 2, signal: new AbortController().signal })

    const operation = findGitSyncRun(ctx.store, id)

    assert.is(operation?.state, 'success', operation?.error?.message)
    assert.is(operation?.revision, exported)
    assert.is(gitOutside(dir, ['rev-parse', 'main']), tip, 'it was pushed once')
    bench.git(space, 'merge-base', '--is-ancestor', exported, 'HEAD')
    if (edited) bench.git(space, 'cat-file', '-e', 'HEAD:ours.md')
    assert.is(bench.git(space, 'for-each-ref', 'refs/stemma/exports'), '')
    fsck({ dir: folder })
  })

test('a sync of a damaged space says after its last attempt how the space is repaired', async () => {
  const { ctx } = bench.app
  const dir = bench.remote('damaged', { 'README.md': '# Handbook\n' })
  const url = `${bench.host.origin}/damaged.git`
  const before = gitOutside(dir, ['rev-parse', 'main'])
  const space = await bench.space()
  const folder = spaceFolder(bench.app.dataDir, space)
  ctx.processes.closeRepository(folder)
  renameSync(folder, `${folder}.away`)

  writeDown(space, 'export-damaged', url)
  const signal = new AbortController().signal
  const states: (string | null)[] = []
  for (const attempt of [1, 2, 3]) {
    await runGitSync(ctx, space, { attempt, signal }).then(
      () => assert.unreachable(),
      () => {},
    )
    states.push(findGitSyncRun(ctx.store, 'export-damaged')?.error?.message ?? null)
  }

  renameSync(`${folder}.away`, folder)
  assert.equal(states.slice(0, 2), [null, null])
  assert.match(states[2] ?? '', `repair it with "stemma repair --space ${space}"`)
  assert.is(gitOutside(dir, ['rev-parse', 'main']), before)
})

test.run()
