import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'
import { until } from '../support/until.ts'

let bench: SyncBench
let driven: Driven
test.before(async () => {
  bench = await openSyncBench()
  driven = clientFor(bench.app, bench.app.admin)
})
test.after(() => bench.stop())

/** Waits until the newest operation of a space has ended, and returns it. */
const ended = (space: string) =>
  until('the operation ends', async () => {
    const { body } = await bench.app.admin.get(`/v1/spaces/${space}/git/operations?limit=1`)
    return ['success', 'failure'].includes(body.items[0]?.state) ? body.items[0] : undefined
  })

test('an import and an export', async () => {
  const { spaces } = driven.client
  const space = await bench.space('Docs')
  const dir = bench.remote('docs', { 'README.md': '# Docs\n' })
  const url = `${bench.host.origin}/docs.git`
  const gitInfo = { provider: 'github' as never, url }

  await spaces.importGitRepository(space, {
    url,
    ref: 'refs/heads/main',
    timestamp: new Date().toISOString(),
    gitInfo,
  })
  assert.is((await ended(space)).state, 'success')
  assert.is(bench.git(space, 'rev-parse', 'main'), (await spaces.getSpaceById(space)).data.revision)
  bench.commit(bench.git(space, 'rev-parse', '--absolute-git-dir'), { 'more.md': '# More\n' })
  await spaces.exportToGitRepository(space, {
    url,
    ref: 'refs/heads/main',
    commitMessage: 'From Stemma',
  })
  assert.is((await ended(space)).state, 'success')
  assert.is((await spaces.getSpaceGitInfo(space)).data.url, url)
  assert.ok(bench.commit(dir, { 'after.md': '# After\n' }))
  await spaces.deleteLegacyGitInstallation(space)
  const forgotten = await spaces
    .getSpaceGitInfo(space)
    .catch((error: { code: number }) => error.code)

  assert.is(forgotten, 404)
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/\/git\//, driven.done), [])
})

test.run()
