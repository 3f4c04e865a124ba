import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { indexHistory, readUnindexed } from '../../../src/actions/revisions/index-history.ts'
import { compareIndex } from '../../../src/actions/upkeep/verify-index.ts'
import type { Oid } from '../../../src/git/values/oid.ts'
import { putPublishedJump } from '../../../src/store/git/published-jumps.ts'
import { deleteRevisionsAfter } from '../../../src/store/git/revision-index.ts'
import { findLastRevision, listRevisions } from '../../../src/store/git/revisions.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { sendInLine } from '../../support/in-line.ts'

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
  const head = await commitFiles(repo, { 'README.md': '# Two\n' }, { message: 'Two\n\nwith \0 in it' })
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
    const remote = await commitFiles(repo, { 'README.md': '# Theirs\n' }, { ref: 'refs/heads/theirs' })
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

test('a delayed index run for an older head does not set the index back', async () => {
  const made = await makeSpace(app, { 'README.md': '# One\n' })
  const { repo, space, api } = made
  await app.admin.get(`${api}/content/pages`)
  deleteRevisionsAfter(ctx.store, space.id, 0)
  let waiting: ReturnType<typeof app.admin.get> | undefined
  const head = await ctx.locks.run(space.id, async () => {
    waiting = (await sendInLine(ctx.locks, space.id, () => app.admin.get(`${api}/revisions`))).reply
    const moved = await commitFiles(repo, { 'README.md': '# Two\n' })
    await indexHistory(ctx, repo, space.id, moved)
    return moved
  })
  const { status, body } = await waiting!
  assert.equal([status, body.items[0].id], [200, head])
  assert.is(findLastRevision(ctx.store, space.id)?.oid, head)
})

test.run()
