import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../../support/remote.ts'
import { gitOutside } from '../../support/repo.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const docs = { 'README.md': '# Handbook\n', 'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n' }
const urlOf = (name: string) => `${bench.host.origin}/${name}.git`

/** Starts an operation without waiting for it; gives the path that leads to it. */
async function begin(space: string, body: object): Promise<string> {
  const reply = await bench.app.admin.post(`/v1/spaces/${space}/git/import`, body)
  assert.is(reply.status, 204, reply.text)
  return new URL(reply.headers.get('location') ?? '').pathname
}

async function ended(path: string) {
  for (;;) {
    const { body } = await bench.app.admin.get(path)
    if (body.state === 'success' || body.state === 'failure') return body
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Runs `work` while an import of the space waits with what it fetched: somebody else writes to the space. */
async function duringImport(space: string, body: object, work: () => Promise<void>): Promise<string> {
  let path = ''
  await bench.app.ctx.locks.run(space, async () => {
    path = await begin(space, body)
    while ((await bench.app.admin.get(path)).body.stage !== 'finalize')
      await new Promise(resolve => setTimeout(resolve, 20))
    await work()
  })
  return path
}

test('an import that is older than one that was applied before its turn came changes nothing', async () => {
  const dir = bench.remote('late', docs)
  const space = await bench.space()
  const body = { url: urlOf('late'), ref: 'refs/heads/main' }
  let older = ''
  const newer = await duringImport(space, { ...body, timestamp: '2026-02-02T00:00:00Z' }, async () => {
    bench.commit(dir, { 'README.md': '# Not for now\n' })
    older = await begin(space, { ...body, timestamp: '2026-01-01T00:00:00Z' })
  })
  assert.is((await ended(newer)).state, 'success')
  const refused = await ended(older)
  assert.is(refused.state, 'failure')
  assert.match(refused.error, /older/)
  assert.is(bench.git(space, 'show', 'main:README.md'), '# Handbook')
})

test('what waited while its space was deleted ends, and does not stand in the way after a restore', async () => {
  bench.remote('gone', docs)
  const space = await bench.space()
  const body = { url: urlOf('gone'), ref: 'refs/heads/main' }
  let waiting = ''
  const first = await duringImport(space, body, async () => {
    waiting = await begin(space, body)
    assert.is((await bench.app.admin.delete(`/v1/spaces/${space}`)).status, 204)
  })
  // The worker comes to the second one while the space is deleted.
  await new Promise(resolve => setTimeout(resolve, 1500))
  assert.is((await bench.app.admin.post(`/v1/spaces/${space}/restore`)).status, 200)
  await ended(first)
  const operation = (await bench.app.admin.get(waiting)).body
  assert.is(operation.state, 'failure', JSON.stringify(operation))
  assert.match(operation.error, /deleted/)
  assert.is((await ended(await begin(space, body))).state, 'success')
})

test('credentials in what is said about the repository are not kept and not shown', async () => {
  bench.remote('about', docs)
  const space = await bench.space()
  const operation = await bench.sync('import', space, {
    url: urlOf('about'),
    ref: 'refs/heads/main',
    repoTreeURL: 'https://ci:pass-Word-1@example.org/about/tree/main/',
    repoCommitURL: 'https://ci:pass-Word-1@example.org/about/commit/',
    gitInfo: { provider: 'github', url: 'https://ci:pass-Word-1@example.org/about' },
  })
  assert.is(operation.state, 'success')
  const info = await bench.app.admin.get(`/v1/spaces/${space}/git/info`)
  assert.is(info.body.url, 'https://example.org/about')
  const { body: revisions } = await bench.app.admin.get(`/v1/spaces/${space}/revisions`)
  assert.match(revisions.items[0].git.url, /^https:\/\/example\.org\/about\/commit\//)
})

test('a branch may be named like a folder of branches was, here and on the remote', async () => {
  const dir = bench.remote('names', docs, 'main/docs')
  const space = await bench.space()
  const first = await bench.sync('import', space, { url: urlOf('names'), ref: 'refs/heads/main/docs' })
  assert.is(first.state, 'success', first.error)
  gitOutside(dir, ['branch', '--move', 'main/docs', 'other'])
  gitOutside(dir, ['branch', '--move', 'other', 'main'])
  const second = await bench.sync('import', space, { url: urlOf('names'), ref: 'refs/heads/main' })
  assert.is(second.state, 'success', second.error)
})

test('a branch that is named like the folder of change requests does not stand in their way', async () => {
  bench.remote('requests', docs, 'change-requests')
  const space = await bench.space()
  const done = await bench.sync('import', space, {
    url: urlOf('requests'),
    ref: 'refs/heads/change-requests',
  })
  assert.is(done.state, 'success', done.error)
  const made = await bench.app.admin.post(`/v1/spaces/${space}/change-requests`, { subject: 'One' })
  assert.is(made.status, 201, made.text)
})

test.run()
