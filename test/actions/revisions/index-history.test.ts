import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { indexHistory, readUnindexed } from '../../../src/actions/revisions/index-history.ts'
import { compareIndex } from '../../../src/actions/upkeep/verify-index.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { putPublishedJump } from '../../../src/store/git/published-jumps.ts'
import { deleteRevisionsAfter, insertRevisions } from '../../../src/store/git/revision-index.ts'
import { findLastRevision, listRevisions } from '../../../src/store/git/revisions.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'

const app = await startApp()
const { ctx } = app
// The search indexer records the history too.
holdSearch(ctx)
test.after(() => app.stop())

const wholeIndex = async ({ repo, space }: TestSpace, head: Parameters<typeof compareIndex>[3]) =>
  assert.is(await compareIndex(ctx, repo, space.id, head), undefined)

test('revisions read before publishing are written without asking Git again', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  assert.is((await app.admin.get(`${api}/revisions`)).body.count, 2)
  const files: Record<string, string> = {}

  for (let i = 0; i < 250; i++) files[`page-${i}.md`] = `# Page ${i}\n`
  await commitFiles(repo, files)
  const head = await commitFiles(
    repo,
    { 'README.md': '# Two\n' },
    { message: 'Two\n\nwith \0 in it' },
  )
  const read = await readUnindexed(ctx, repo, space.id, head)

  assert.equal([read.fresh.length, read.head], [2, head])
  await indexHistory(ctx, { ...repo, dir: '/nowhere' }, space.id, head, read)
  await wholeIndex(made, head)
})

test('revisions read ahead are discarded if their predecessor left the index', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  await app.admin.get(`${api}/revisions`)
  const head = await commitFiles(repo, { 'README.md': '# Two\n' })
  const read = await readUnindexed(ctx, repo, space.id, head)

  deleteRevisionsAfter(ctx.store, space.id, 0)
  await indexHistory(ctx, repo, space.id, head, read)
  await wholeIndex(made, head)
  assert.is(listRevisions(ctx.store, space.id, 10).length, 3)
})

test('a long history is indexed in pieces, the oldest first', async () => {
  for (const more of [2, 6, 7, 13]) {
    const made = await makeSpace(app, { 'README.md': '# One\n' })
    const { repo, space, api } = made
    const known = (await app.admin.get(`${api}/revisions`)).body.count
    const remote = await commitFiles(
      repo,
      { 'README.md': '# Theirs\n' },
      { ref: 'refs/heads/theirs' },
    )
    const commits: Oid[] = []

    for (let i = 0; i < more; i++) {
      const last = commits.at(-1)
      // An export has the published line behind its second parent.
      const isExport = i % 4 === 2 && last !== undefined
      const how = isExport
        ? { message: 'Out', base: last, parents: [remote, last] }
        : { message: `Number ${i}` }
      const oid = await commitFiles(repo, { 'README.md': `# ${i}\n` }, how)
      if (isExport) putPublishedJump(ctx.store, { space_id: space.id, oid, previous: last })
      commits.push(oid)
    }

    const head = commits.at(-1)!
    const read = await readUnindexed(ctx, repo, space.id, head, { most: 3 })
    const pieces = Math.ceil(more / 3)

    assert.equal([read.fresh.length, read.newer.length], [more - 3 * (pieces - 1), pieces - 1])
    await indexHistory(ctx, repo, space.id, head, read)
    await wholeIndex(made, head)
    assert.is(listRevisions(ctx.store, space.id, 20).length, known + more)
  }
})

test('builds for two heads at once leave one line, which the next reader completes', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  const heads: Oid[] = []
  for (let i = 0; i < 6; i++) heads.push(await commitFiles(repo, { 'README.md': `# ${i}\n` }))
  await app.admin.get(`${api}/content/pages`)

  for (const [a, b] of [
    [2, 5],
    [5, 2],
  ] as const) {
    deleteRevisionsAfter(ctx.store, space.id, 1)
    await Promise.all([a, b].map(at => indexHistory(ctx, repo, space.id, heads[at]!)))
    const { status, body } = await app.admin.get(`${api}/revisions`)
    assert.equal([status, body.items[0].id, body.count], [200, heads[5], 8])
    await wholeIndex(made, heads[5]!)
  }
})

test('a delayed build for an older head does not set the index back', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  const older = await commitFiles(repo, { 'README.md': '# Two\n' })
  const head = await commitFiles(repo, { 'README.md': '# Three\n' })
  await app.admin.get(`${api}/revisions`)
  await indexHistory(ctx, repo, space.id, older)
  await wholeIndex(made, head)
})

test('a build stops when something else has written the index', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  await app.admin.get(`${api}/revisions`)
  const base = findLastRevision(ctx.store, space.id)!.oid as Oid
  const dropped = await commitFiles(
    repo,
    { 'README.md': '# Dropped\n' },
    { ref: 'refs/heads/other', base },
  )

  await commitFiles(repo, { 'README.md': '# Two\n' })
  const head = await commitFiles(repo, { 'README.md': '# Three\n' })
  const read = await readUnindexed(ctx, repo, space.id, head, { most: 1 })
  const writing = indexHistory(ctx, repo, space.id, head, read)

  // Between two pieces: as many revisions, of another line.
  const last = findLastRevision(ctx.store, space.id)!

  ctx.store.transact(() => {
    deleteRevisionsAfter(ctx.store, space.id, last.seq - 1)
    insertRevisions(ctx.store, space.id, last.seq, [
      { row: { ...read.fresh[0]!.row, oid: dropped }, paths: [] },
    ])
  })
  await writing
  assert.is(findLastRevision(ctx.store, space.id)?.oid, dropped)
  await app.admin.get(`${api}/content/pages`)
  await app.admin.get(`${api}/revisions`)
  await wholeIndex(made, head)
})

test('a reader builds the index while a writer holds the lock', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  const head = await commitFiles(repo, { 'README.md': '# Two\n' })
  await app.admin.get(`${api}/content/pages`)
  deleteRevisionsAfter(ctx.store, space.id, 0)
  await ctx.locks.run(space.id, async () => {
    const { status, body } = await app.admin.get(`${api}/revisions`)
    assert.equal([status, body.items[0].id], [200, head])
  })
  await wholeIndex(made, head)
})

test('the writer that records a long push does not index it', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  const { body } = await app.admin.get(`${api}/revisions`)
  const known = findLastRevision(ctx.store, space.id)?.oid
  const commits = Array.from({ length: 101 }, (_, i) =>
    [
      'commit refs/heads/main',
      'committer Out <out@example.org> 1700000000 +0000',
      `data 4\n${i + 1000}`,
      ...(i === 0 ? ['from refs/heads/main^0'] : []),
    ].join('\n'),
  )

  gitOutside(repo.dir, ['fast-import', '--quiet'], `${commits.join('\n')}\n`)
  const head = readRef(repo, main)!

  assert.is((await app.admin.get(`${api}/content`)).body.id, head)
  assert.is(findLastRevision(ctx.store, space.id)?.oid, known)
  assert.is((await app.admin.get(`${api}/revisions`)).body.items[0].id, head)
  assert.is(listRevisions(ctx.store, space.id, 1000).length, body.count + 101)
  await wholeIndex(made, head)
})

test.run()
