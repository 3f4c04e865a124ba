import { setImmediate } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { indexPrimary, primarySource } from '../../../src/actions/search/index-search.ts'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import {
  deleteSearchIndex,
  findSearchPages,
  findSearchSpace,
} from '../../../src/store/search/search-index.ts'
import { query } from '../../../src/store/store.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'

let app: App
test.before(async () => {
  app = await startApp()
  holdSearch(app.ctx)
})
test.after(() => app.stop())

const page = (n: number, text: string) => ({ [`p${n}.md`]: `# Page ${n}\n\n${text}\n` })
const lastPage = (spaceId: string) => findSearchSpace(app.ctx.store, spaceId)?.last_page

test('a change indexes only the changed pages and removes their old versions', async () => {
  const files = Object.assign(
    { 'README.md': '# Home\n' },
    ...Array.from({ length: 30 }, (_, n) => page(n, 'old')),
  )
  const { space, repo } = await makeSpace(app, files)
  const index = async (head: Oid) =>
    indexPrimary(app.ctx, space.id, await primarySource(app.ctx, space, head))
  const first = await commitFiles(repo, page(1, 'first'))

  await index(first)
  assert.is(lastPage(space.id), 31)
  const second = await commitFiles(repo, page(1, 'second'))
  const reached = await index(second)

  assert.is(reached?.space.revision, second)
  assert.is(lastPage(space.id), 32)
  const { content } = (await primarySource(app.ctx, space, second)).view
  const { number } = findSearchSpace(app.ctx.store, space.id)!
  const node = content.pageByFile.get('p1.md')!

  assert.equal(
    findSearchPages(app.ctx.store, number, [node.id]).map(row => row.oid),
    [node.file?.oid],
  )
  await index(await commitFiles(repo, { 'p2.md': null, ...page(40, 'new') }))
  assert.is(lastPage(space.id), 33)
  const rows = app.ctx.store.all(
    query.selectFrom('search_page').select('page_id').where('path', 'in', ['p2', 'p40']),
  )

  assert.is(rows.length, 1)
})

test('a search waits while the few pages of a space are indexed', async () => {
  const { space, repo } = await makeSpace(app)
  const head = await commitFiles(repo, { 'a.md': '# Quince\n' })
  const source = await primarySource(app.ctx, space, head)
  const job = indexPrimary(app.ctx, space.id, source)

  // The job has begun, and holds the lock.
  await setImmediate()
  const searched = await indexPrimary(app.ctx, space.id, source, { most: 200, mostCompared: 3_000 })

  assert.equal([searched?.whole, searched?.space.revision], [true, head])
  await job
})

test('a server that starts on rows without an index queues the indexing', async () => {
  const { space } = await makeSpace(app)
  deleteSearchIndex(app.ctx.store)
  app.ctx.store.run(
    query.deleteFrom('job').where('kind', '=', 'index-search').where('state', '=', 'waiting'),
  )
  await recover(app.ctx)
  const jobs = app.ctx.store.all(
    query.selectFrom('job').select('key').where('kind', '=', 'index-search'),
  )

  assert.ok(jobs.some(job => job.key === space.id))
})

test('a server that starts on an index behind the content queues the indexing, although a change request is there', async () => {
  const { space, repo, api } = await makeSpace(app)
  const old = await commitFiles(repo, { 'a.md': '# Old\n' })
  await indexPrimary(app.ctx, space.id, await primarySource(app.ctx, space, old))

  // Its branch stays at the indexed revision.
  const request = await app.admin.post(`${api}/change-requests`, { subject: 'Later' })

  assert.is(request.status, 201, request.text)
  await commitFiles(repo, { 'a.md': '# New\n' })
  assert.is((await app.admin.get(`${api}/content`)).status, 200)

  // A power cut undoes the update of the index, but not the end of its job.
  app.ctx.store.run(query.deleteFrom('job').where('kind', '=', 'index-search'))
  assert.is(findSearchSpace(app.ctx.store, space.id)?.revision, old)
  await recover(app.ctx)
  const jobs = app.ctx.store.all(
    query.selectFrom('job').select('key').where('kind', '=', 'index-search'),
  )

  assert.ok(jobs.some(job => job.key === space.id))
})

test.run()
