import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  findGitSyncRun,
  listPendingGitSyncRuns,
  updateGitSyncRun,
} from '../../../src/store/git/git-sync.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import type { Actor } from '../../support/app.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { until } from '../../support/until.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const docs = { 'README.md': '# Handbook\n', 'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n' }
const urlOf = (name: string) => `${bench.host.origin}/${name}.git`

/** Starts an operation without waiting for it; returns its path. */
async function begin(
  space: string,
  body: object,
  { by = bench.app.admin, direction = 'import' } = {},
): Promise<string> {
  const reply = await by.post(`/v1/spaces/${space}/git/${direction}`, body)
  assert.is(reply.status, 204, reply.text)
  return new URL(reply.headers.get('location') ?? '').pathname
}

const ended = (path: string) =>
  until('the operation ends', async () => {
    const { body } = await bench.app.admin.get(path)
    return body.state === 'success' || body.state === 'failure' ? body : undefined
  })

/** Runs `work` while an import of the space has fetched and waits for another writer. */
async function duringImport(
  space: string,
  body: object,
  work: () => Promise<void>,
  how?: Parameters<typeof begin>[2],
): Promise<string> {
  let path = ''
  await bench.app.ctx.locks.run(space, async () => {
    path = await begin(space, body, how)
    await until('the import has fetched', async () => {
      const { stage } = (await bench.app.admin.get(path)).body
      return stage === 'finalize' || undefined
    })
    await work()
  })

  return path
}

test('an import older than one that was applied meanwhile changes nothing', async () => {
  const dir = bench.remote('late', docs)
  const space = await bench.space()
  const body = { url: urlOf('late'), ref: 'refs/heads/main' }
  let older = ''
  const newer = await duringImport(
    space,
    { ...body, timestamp: '2026-02-02T00:00:00Z' },
    async () => {
      bench.commit(dir, { 'README.md': '# Not for now\n' })
      older = await begin(space, { ...body, timestamp: '2026-01-01T00:00:00Z' })
    },
  )

  assert.is((await ended(newer)).state, 'success')
  const refused = await ended(older)

  assert.is(refused.state, 'failure')
  assert.match(refused.error, /older/)
  assert.is(bench.git(space, 'show', 'main:README.md'), '# Handbook')
})

test('after the clock is set back, a new operation does not overtake queued ones', async () => {
  bench.remote('clock', docs)
  const space = await bench.space()
  const body = { url: urlOf('clock'), ref: 'refs/heads/main' }
  const { store } = bench.app.ctx
  const waiting: string[] = []
  const idOf = (path: string) => path.split('/').at(-1) as string
  const first = await duringImport(space, body, async () => {
    waiting.push(await begin(space, body))
    // It was requested a day later by the clock of that time.
    const late = new Date(Date.now() + 86_400_000).toISOString()
    updateGitSyncRun(store, idOf(waiting[0]!), { timestamp: late, created_at: late })
    waiting.push(await begin(space, body), await begin(space, body))
    const pending = listPendingGitSyncRuns(store, space).map(row => row.id)
    assert.equal(pending.slice(1), waiting.map(idOf))
  })

  for (const path of [first, ...waiting]) {
    const { state, error } = await ended(path)
    assert.is(state, 'success', error)
  }

  const list = await bench.app.admin.get(`/v1/spaces/${space}/git/operations`)

  assert.equal(
    list.body.items.map((item: { id: string }) => item.id),
    [first, ...waiting].map(idOf).reverse(),
  )
})

test('operations queued in a deleted space end, and do not block it after a restore', async () => {
  bench.remote('gone', docs)
  const space = await bench.space()
  const body = { url: urlOf('gone'), ref: 'refs/heads/main' }
  let waiting = ''
  const first = await duringImport(space, body, async () => {
    waiting = await begin(space, body)
    assert.is((await bench.app.admin.delete(`/v1/spaces/${space}`)).status, 204)
  })

  // The worker reaches the second one while the space is deleted.
  const { store } = bench.app.ctx
  const stateOf = (path: string) => findGitSyncRun(store, path.split('/').at(-1) as string)?.state

  while (stateOf(waiting) === 'queued' || stateOf(waiting) === 'running')
    await new Promise(resolve => setTimeout(resolve, 20))
  assert.is((await bench.app.admin.post(`/v1/spaces/${space}/restore`)).status, 200)
  await ended(first)
  const operation = (await bench.app.admin.get(waiting)).body

  assert.is(operation.state, 'failure', JSON.stringify(operation))
  assert.match(operation.error, /deleted/)
  assert.is((await ended(await begin(space, body))).state, 'success')
})

test('credentials in shown URLs are neither stored nor shown', async () => {
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

test('a branch can have the name of a former folder of branches, here and on the remote', async () => {
  const dir = bench.remote('names', docs, 'main/docs')
  const space = await bench.space()
  const first = await bench.sync('import', space, {
    url: urlOf('names'),
    ref: 'refs/heads/main/docs',
  })

  assert.is(first.state, 'success', first.error)
  gitOutside(dir, ['branch', '--move', 'main/docs', 'other'])
  gitOutside(dir, ['branch', '--move', 'other', 'main'])
  const second = await bench.sync('import', space, { url: urlOf('names'), ref: 'refs/heads/main' })

  assert.is(second.state, 'success', second.error)
})

test('a branch named like the folder of change requests does not conflict with them', async () => {
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

const grant = (space: string, user: Actor, role: Role) =>
  putPermission(bench.app.ctx.store, {
    target_kind: 'space',
    target_id: space,
    subject_kind: 'user',
    subject_id: user.id,
    role,
    created_at: '2026-01-01T00:00:00.000Z',
  })

test('an import changes nothing when its user loses the role while it waits', async () => {
  bench.remote('lost', docs)
  const space = await bench.space()
  const ola = bench.app.user('Ola', 'edit')
  const body = { url: urlOf('lost'), ref: 'refs/heads/main' }

  for (const standalone of [false, true]) {
    grant(space, ola, 'edit')
    const before = bench.git(space, 'for-each-ref', 'refs/heads', 'refs/stemma/keep')
    const lose = async () => void grant(space, ola, 'read')
    const path = await duringImport(space, { ...body, standalone }, lose, { by: ola })
    const operation = await ended(path)
    assert.is(operation.state, 'failure')
    assert.match(operation.error, /is not allowed to do it.*"edit".*yours is "read"/)
    assert.is(bench.git(space, 'for-each-ref', 'refs/heads', 'refs/stemma/keep'), before)
  }
})

test('an export pushes nothing when its user has lost the role or the space is locked', async () => {
  const dir = bench.remote('kept', {})
  const space = await bench.space()
  const path = `/v1/spaces/${space}`
  const una = bench.app.user('Una', 'edit')

  grant(space, una, 'edit')
  const body = { url: urlOf('kept'), ref: 'refs/heads/main', commitMessage: 'Out' }
  const how = { by: una, direction: 'export' }
  let waiting = ''

  // The lane of the space is busy, so the export waits for its turn.
  const first = await duringImport(
    space,
    { url: urlOf('lost'), ref: 'refs/heads/main' },
    async () => {
      waiting = await begin(space, body, how)
      assert.is((await bench.app.admin.patch(path, { editMode: 'locked' })).status, 200)
    },
  )

  assert.is((await ended(first)).state, 'success')
  const refused = await ended(waiting)

  assert.is(refused.state, 'failure')
  assert.match(refused.error, /is not allowed to do it.*locked/)
  assert.is(gitOutside(dir, ['for-each-ref']), '')
  assert.is((await bench.app.admin.patch(path, { editMode: 'live' })).status, 200)
  assert.is((await ended(await begin(space, body, how))).state, 'success')
})

test.run()
