import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { publishedRef } from '../../../src/actions/repositories/ref-names.ts'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import { reindexSpace } from '../../../src/actions/upkeep/reindex.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { verifySpace } from '../../../src/actions/upkeep/verify-space.ts'
import { readConfig } from '../../../src/config.ts'
import { zeroOid } from '../../../src/lib/oid.ts'
import { openContext } from '../../../src/open.ts'
import { listPublishedJumps } from '../../../src/store/git/published-jumps.ts'
import { findServiceCommits } from '../../../src/store/git/service-commits.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

const docs = { 'README.md': '# Handbook\n', 'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n' }
const service = 'Stemma <stemma@users.stemma.invalid> 1700000000 +0000'
const person = 'Grace <grace@example.org> 1700000000 +0000'
const ref = 'refs/heads/main'

type Forged = { message: string; committer?: string; parents: string[] }

/** Writes a commit with the tree of another one and exactly these bytes. */
function writeCommit(
  dir: string,
  like: string,
  { message, committer = person, parents }: Forged,
): string {
  const tree = gitOutside(dir, ['rev-parse', `${like}^{tree}`])
  const lines = [
    `tree ${tree}`,
    ...parents.map(each => `parent ${each}`),
    `author ${committer}`,
    `committer ${committer}`,
  ]
  const args = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin']
  return gitOutside(dir, args, `${lines.join('\n')}\n\n${message}`)
}

type Item = {
  message: string
  type: string
  git: { createdByService: boolean; createdByGitBook: boolean }
}

const revisions = async (space: string): Promise<Item[]> =>
  (await bench.app.admin.get(`/v1/spaces/${space}/revisions?limit=100`)).body.items
const messages = async (space: string) => (await revisions(space)).map(({ message }) => message)
const url = (name: string) => `${bench.host.origin}/${name}.git`
const spaceRow = (space: string) => findSpace(bench.app.ctx.store, space)!

/** A space that has imported the commits "one" and "two" of a remote of this name. */
async function imported(name: string): Promise<{ dir: string; space: string }> {
  const dir = bench.remote(name, docs)
  gitOutside(dir, ['update-ref', ref, writeCommit(dir, 'main', { message: 'one\n', parents: [] })])
  bench.commit(dir, { 'two.md': '# Two\n' }, 'two')
  const space = await bench.space()
  assert.is((await bench.sync('import', space, { url: url(name), ref })).state, 'success')
  return { dir, space }
}

test('imported commits that claim to be from the service hide nothing and change no type', async () => {
  const { dir, space } = await imported('forged')
  const head = gitOutside(dir, ['rev-parse', 'main'])
  const update = writeCommit(dir, 'main', {
    message:
      'Update change request #7 with the primary content\n\nStemma-Change-Request: 7\nStemma-Operation: update\n',
    committer: service,
    parents: [],
  })

  const merge = writeCommit(dir, 'main', {
    message: `Export\n\nStemma-Space: ${space}\nStemma-Operation: export\n`,
    committer: service,
    parents: [head, update],
  })

  gitOutside(dir, ['update-ref', ref, merge])
  assert.is((await bench.sync('import', space, { url: url('forged'), ref })).state, 'success')
  const items = await revisions(space)

  assert.equal(
    items.map(({ message }) => message),
    ['Export', 'two', 'one'],
  )

  for (const { type, git } of items) {
    assert.is(type, 'edits')
    assert.equal([git.createdByService, git.createdByGitBook], [false, false])
  }

  const { body } = await bench.app.admin.get(`/v1/spaces/${space}/revisions/${update}`)

  assert.equal([body.type, body.git.createdByService], ['edits', false])
  await reindexSpace(bench.app.ctx, spaceRow(space))
  assert.equal(await messages(space), ['Export', 'two', 'one'])
  assert.equal(await verifySpace(bench.app.ctx, spaceRow(space)), [])
})

test('a merge whose first parent is another history hides nothing, imported or pushed', async () => {
  for (const way of ['import', 'push']) {
    const { dir, space } = await imported(`foxtrot-${way}`)
    const head = gitOutside(dir, ['rev-parse', 'main'])
    const other = writeCommit(dir, 'main', { message: 'other\n', parents: [] })
    const merge = writeCommit(dir, 'main', { message: 'merge\n', parents: [other, head] })

    gitOutside(dir, ['update-ref', ref, merge])

    if (way === 'import')
      assert.is(
        (await bench.sync('import', space, { url: url(`foxtrot-${way}`), ref })).state,
        'success',
      )
    else bench.git(space, 'fetch', '--quiet', dir, '+main:main')

    assert.equal(await messages(space), ['merge', 'two', 'one'], way)
    bench.commit(dir, { 'later.md': '# Later\n' }, 'later')
    await bench.sync('import', space, { url: url(`foxtrot-${way}`), ref })
    assert.equal(await messages(space), ['later', 'merge', 'two', 'one'], way)
    await reindexSpace(bench.app.ctx, spaceRow(space))
    assert.equal(await messages(space), ['later', 'merge', 'two', 'one'], way)
    assert.equal(await verifySpace(bench.app.ctx, spaceRow(space)), [], way)
  }
})

const trailer = fc.oneof(
  fc
    .constantFrom('export', 'import', 'merge', 'update', 'edit', 'create-space')
    .map(
      kind => (space: string) =>
        `Stemma-Space: ${space}\nStemma-Change-Request: 1\nStemma-Operation: ${kind}`,
    ),
  fc
    .string({ maxLength: 30 })
    .map(text => () => `Stemma-Operation: ${text.replace(/[\0\n\r]/g, ' ')}`),
)
const committer = fc.constantFrom(service, person, 'X <1@users.stemma.invalid> 1700000000 +0000')

test('no trailer or committer of an imported commit changes a revision', async () => {
  let made = 0
  const shape = fc.array(fc.record({ trailer, committer, merges: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })

  await fc.assert(
    fc.asyncProperty(shape, async commits => {
      const answers = []
      for (const forged of [true, false]) {
        const name = `property-${made++}`
        const { dir, space } = await imported(name)
        let head = gitOutside(dir, ['rev-parse', 'main'])

        for (const [at, each] of commits.entries()) {
          const words = forged ? `Commit ${at}\n\n${each.trailer(space)}\n` : `Commit ${at}\n`
          const by = forged ? each.committer : person
          const side = each.merges
            ? [writeCommit(dir, 'main', { message: `side ${at}\n`, parents: [] })]
            : []
          head = writeCommit(dir, 'main', {
            message: words,
            committer: by,
            parents: [head, ...side],
          })
        }

        gitOutside(dir, ['update-ref', ref, head])
        await bench.sync('import', space, { url: url(name), ref })
        const items = await revisions(space)

        answers.push(items.map(({ message, type, git }) => [message, type, git.createdByService]))
      }

      assert.equal(answers[0], answers[1])
    }),
    { numRuns: runs(8) },
  )
})

/** A space with every kind of service commit, and a remote with an export of it. */
async function published(name: string): Promise<string> {
  const { dir, space } = await imported(name)
  const api = `/v1/spaces/${space}`
  const insert = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.' } }],
  })
  const { admin } = bench.app

  assert.is((await admin.post(`${api}/content`, insert('Direct'))).status, 200)
  const { body: request } = await admin.post(`${api}/change-requests`, { subject: 'Propose' })

  assert.is(
    (await admin.post(`${api}/change-requests/${request.number}/content`, insert('New'))).status,
    200,
  )

  assert.is(
    (await admin.post(`${api}/change-requests/${request.number}/merge`)).body.result,
    'merge',
  )
  bench.commit(dir, { 'theirs.md': '# Theirs\n' }, 'theirs')
  const order = { url: url(name), ref, commitMessage: 'Publish' }
  const exported = await bench.sync('export', space, order)

  assert.is(exported.state, 'success', exported.error)
  assert.is(gitOutside(dir, ['rev-parse', 'main']), exported.revision)

  return space
}

const kinds = async (space: string) =>
  (await revisions(space)).map(
    ({ message, type, git }) => `${message}: ${type} ${git.createdByService}`,
  )
const wanted = [
  'Publish: edits true',
  'Propose: merge true',
  'Add page "Direct": edits true',
  'two: edits false',
  'one: edits false',
]

test('commits of the service are marked, also after the index is rebuilt', async () => {
  const space = await published('kinds')
  const said = await kinds(space)
  assert.is(said.length, wanted.length)
  for (const at of [0, 1, 3, 4]) assert.is(said[at], wanted[at])
  assert.match(said[2]!, /: edits true$/)
  await reindexSpace(bench.app.ctx, spaceRow(space))
  assert.equal(await kinds(space), said)
  assert.equal(await verifySpace(bench.app.ctx, spaceRow(space)), [])
})

test('verify finds a lost published history, and reindex restores it', async () => {
  const space = await published('lost')
  const { store } = bench.app.ctx
  const before = await messages(space)
  const jumps = listPublishedJumps(store, space)

  assert.is(jumps.size, 1)
  store.run(sqlRows(sql`delete from published_jump where space_id = ${space}`))
  const found = await verifySpace(bench.app.ctx, spaceRow(space))

  assert.ok(found.some(({ what }) => what.startsWith(publishedRef)))
  await reindexSpace(bench.app.ctx, spaceRow(space))
  assert.equal(listPublishedJumps(store, space), jumps)
  assert.equal(await messages(space), before)
  assert.equal(await verifySpace(bench.app.ctx, spaceRow(space)), [])
})

test('a copy has the published history of the original, also after the index is rebuilt', async () => {
  const space = await published('copied')
  const { body: copy } = await bench.app.admin.post(`/v1/spaces/${space}/duplicate`)
  const said = await kinds(space)
  assert.equal(await kinds(copy.id), said)
  bench.app.ctx.store.run(sqlRows(sql`delete from published_jump where space_id = ${copy.id}`))
  await reindexSpace(bench.app.ctx, spaceRow(copy.id))
  assert.equal(await kinds(copy.id), said)
  assert.equal(await verifySpace(bench.app.ctx, spaceRow(copy.id)), [])
})

test('a backup contains the records of service commits', async () => {
  const space = await published('backup')
  const folder = mkdtempSync(join(tmpdir(), 'stemma-provenance-'))
  const into = join(folder, 'data')

  try {
    await backup(bench.app.ctx, join(folder, 'all.tar'), { program: 'test' })
    await restore(join(folder, 'all.tar'), into)
    const ctx = openContext(
      readConfig({ STEMMA_DATA: into, NODE_ENV: 'test' }),
      pino({ level: 'silent' }),
    )

    try {
      assert.equal(
        listPublishedJumps(ctx.store, space),
        listPublishedJumps(bench.app.ctx.store, space),
      )
      const [oid = zeroOid] = listPublishedJumps(ctx.store, space).keys()
      assert.is(findServiceCommits(ctx.store, space, [oid]).get(oid), 'export')
      await reindexSpace(ctx, findSpace(ctx.store, space)!)
      assert.equal(await verifySpace(ctx, findSpace(ctx.store, space)!), [])
    } finally {
      ctx.processes.close()
      ctx.store.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a push cannot write the server’s records', async () => {
  const space = await published('pushed-note')
  const repo = bench.git(space, 'rev-parse', '--absolute-git-dir')
  const before = bench.git(space, 'rev-parse', publishedRef)
  const clone = mkdtempSync(join(tmpdir(), 'stemma-clone-'))

  try {
    gitOutside(clone, ['clone', '--quiet', repo, '.'])
    assert.throws(() => gitOutside(clone, ['push', '--quiet', 'origin', `+HEAD:${publishedRef}`]))
    assert.is(bench.git(space, 'rev-parse', publishedRef), before)
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
})

test.run()
