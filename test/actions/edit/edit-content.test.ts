import { isDeepStrictEqual } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { viewCache, viewRevision } from '../../../src/actions/revisions/view-revision.ts'
import type { RevisionView } from '../../../src/content/tree/view.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { makeSpace } from '../../api/change-requests/workbench.ts'
import { type App, startApp } from '../../support/app.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { fsck, gitOutside, readIndependently } from '../../support/git/repo.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const comparable = ({ content, ...view }: RevisionView) => ({
  ...view,
  content: {
    ...content,
    files: [...content.files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    fileById: 0,
    fileByPath: 0,
  },
})

test('the view cached by an edit equals the view read from its commit', async () => {
  const space = await makeSpace(app)
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Docs](README.md)\n* [A](a.md)\n  * [B](a/b.md)\n  * Words\n    * [C](c.md)\n\n## G\n\n* [D](d.md)\n',
    'a.md': '# A\n\n[B](a/b.md)\n',
    'a/b.md': '# B\n',
    'c.md': '# C\n',
    'd.md': '# D\n',
  })
  const path = `/v1/spaces/${space.id}/content`
  const id = async (at: string) => (await app.admin.get(`${path}/path/${at}`)).body.id as string
  const [a, b, words, group] = await Promise.all(['a', 'a/b', 'a/words', 'g'].map(id))
  const batches: object[][] = [
    [{ operation: 'update_page', page: a, document: { markdown: '# A\n\nOther [B](a/b.md).\n' } }],
    [{ operation: 'update_page', page: a, icon: 'bolt', description: 'x' }],
    [{ operation: 'update_page', page: words, title: 'New words' }],
    [
      { operation: 'update_page', page: b, slug: 'bee' },
      { operation: 'update_page', page: b, into: group },
    ],
    [{ operation: 'insert_page', title: 'B', document: {}, into: a, slug: 'b' }],
    [{ operation: 'update_group', page: group, title: 'Other' }],
    [
      { operation: 'delete_page', page: words },
      { operation: 'set_variables', variables: { x: 1 } },
    ],
    [
      {
        operation: 'insert_files',
        files: [{ name: 'f.txt', contentType: 'text/plain', base64: 'eA==' }],
      },
    ],
  ]

  for (const changes of batches) {
    const reply = await app.admin.post(path, { changes })
    assert.is(reply.status, 200, reply.text)
    const key = `${space.id} ${reply.body.revision}`
    const kept = app.ctx.caches.get(viewCache).get(key)
    app.ctx.caches.get(viewCache).delete(key)
    const read = await viewRevision(app.ctx, space.id, reply.body.revision as Oid)
    if (kept && !isDeepStrictEqual(comparable(kept), comparable(read)))
      assert.equal(comparable(kept), comparable(read), JSON.stringify(changes))
  }

  assert.is(await id('other/bee'), b)
  assert.is(await id('other'), group)
  assert.is.not(await id('a/b'), b)
  fsck(space.repo)
  const head = (await space.head())!

  assert.is((await readIndependently(space.repo, head, 'a/bee.md')).toString(), '# B\n')
})

test('inserting a page with ten thousand links is fast', async () => {
  const space = await makeSpace(app)
  const path = `/v1/spaces/${space.id}/content`
  const home = (await app.admin.get(`${path}/path/readme`)).body.id
  const markdown = `[x](/pages/nobody) [y](/pages/${home})\n\n`.repeat(10_000)
  const started = cpuTime()
  const reply = await app.admin.post(path, {
    changes: [{ operation: 'insert_page', title: 'Many', document: { markdown } }],
  })

  assert.is(reply.status, 200)
  assert.ok(cpuTime() - started < 20_000, `took ${cpuTime() - started} ms`)
  const text = gitOutside(space.repo.dir, ['show', 'main:many.md'])

  assert.is(text.split('x [y](README.md)').length, 10_001)
})

test.run()
