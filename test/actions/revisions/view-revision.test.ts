import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { viewCache, viewRevision } from '../../../src/actions/revisions/view-revision.ts'
import { Caches } from '../../../src/caches.ts'
import { factsVersion } from '../../../src/content/page/facts.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { findBlobFacts } from '../../../src/store/git/blob-facts.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
const { ctx } = app
const { repo, space } = await makeSpace(app, { 'README.md': '# One\n', 'two.md': '# Two\n' })
const commit = (text: string) => commitFiles(repo, { 'two.md': text })

test.after(() => app.stop())

test('concurrent readers of a revision share one view', async () => {
  const oid = await commit('# Two\n\nOnce.\n')
  const views = await Promise.all([1, 2, 3].map(() => viewRevision(ctx, space.id, oid)))
  assert.is(views[0], views[1])
  assert.is(views[1], views[2])
  assert.is(await viewRevision(ctx, space.id, oid), views[0])
  const [view] = views

  assert.is(view?.oid, oid)
  assert.is(view?.author.email, 'ada@example.org')
  assert.is(view?.content.pageByPath.get('two')?.title, 'Two')
})

test('facts derived from a blob are stored for later revisions', async () => {
  const oid = await commit('# Facts\n')
  const view = await viewRevision(ctx, space.id, oid)
  const page = view.content.pageByPath.get('two')
  const facts = findBlobFacts(
    ctx.store,
    'blob_facts',
    page?.file ? [page.file.oid] : [],
    factsVersion,
  )
  assert.is(JSON.parse(facts.get(page?.file?.oid ?? '') ?? '{}').h1, 'Facts')
})

test('viewing a missing commit fails', async () => {
  for (const oid of [
    '0'.repeat(40),
    (await viewRevision(ctx, space.id, await commit('# T\n'))).treeOid,
  ]) {
    try {
      await viewRevision(ctx, space.id, oid as Oid)
      assert.unreachable()
    } catch (error) {
      assert.is((error as { code?: string }).code, 'object_unreadable')
    }
  }
})

test('a view over the whole limit is cached alone, until the next one', async () => {
  const small = { ...ctx, caches: new Caches(30_000) }
  const oid = await commit('# Large\n')
  const view = await viewRevision(small, space.id, oid)
  assert.is(await viewRevision(small, space.id, oid), view)
  const next = await viewRevision(small, space.id, await commit('# Larger\n'))

  assert.is.not(await viewRevision(small, space.id, oid), view)
  assert.is.not(next, view)
  assert.is(small.caches.get(viewCache).size, 1)
})

test.run()
