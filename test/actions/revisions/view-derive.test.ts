import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readContent, readInput } from '../../../src/actions/revisions/read-content.ts'
import { viewCache, viewRevision } from '../../../src/actions/revisions/view-revision.ts'
import { factsVersion } from '../../../src/content/page/facts.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { findBlobFacts } from '../../../src/store/git/blob-facts.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const app = await startApp()
const { ctx } = app

test.after(() => app.stop())

const first = {
  'README.md': '# Home\n',
  'SUMMARY.md':
    '# S\n\n* [Home](README.md)\n* [A](a.md)\n  * [B](b/b.md)\n\n## More\n\n* [C](c.md)\n',
  'a.md': '# A\n',
  'b/b.md': '# B\n',
  'c.md': '# C\n',
  'x.png': 'x',
}

const change = fc.oneof(
  fc.record({
    path: fc.constantFrom('a.md', 'b/b.md', 'c.md', 'x.png'),
    text: fc.constantFrom('# New\n', '---\nicon: x\n---\n', '# N\n\nmore\n'),
  }),
  fc.record({
    path: fc.constantFrom('d.md', 'b/e.md', 'c.md', 'README.md'),
    text: fc.constantFrom('# Added\n', null),
  }),
  fc.record({
    path: fc.constant('SUMMARY.md'),
    text: fc.constantFrom(
      null,
      first['SUMMARY.md'],
      `${first['SUMMARY.md']}* [D](d.md)\n`,
      '# S\n\n* [Home](README.md)\n* [Moved](c.md)\n* [A](a.md)\n  * [B](b/b.md)\n',
    ),
  }),
  fc.record({
    path: fc.constantFrom('.gitbook.yaml'),
    text: fc.constantFrom('root: ./b/\n', null, 'redirects:\n  old: a.md\n'),
  }),
)

test('the view of a revision does not depend on the views read before it', async () => {
  const { repo, space } = await makeSpace(app, first)
  const forget = (oids: Iterable<string>) => {
    for (const oid of oids) ctx.caches.get(viewCache).delete(`${space.id} ${oid}`)
  }
  const seen = new Set<string>()
  let last = await commitFiles(repo, { 'a.md': '# A\n' })

  await viewRevision(ctx, space.id, last)
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async changes => {
      const base = last
      last = await commitFiles(
        repo,
        Object.fromEntries(changes.map(({ path, text }) => [path, text])),
      )
      const near = await viewRevision(ctx, space.id, last)
      forget([...seen, base, last])
      const alone = await viewRevision(ctx, space.id, last)

      assert.is.not(alone, near)
      assert.equal(alone, near)
      seen.add(last)
    }),
    { numRuns: runs(60) },
  )
})

test('the view of a merge shares unchanged pages with cached views', async () => {
  const { repo, space } = await makeSpace(app, first)
  const base = gitOutside(repo.dir, ['rev-parse', main]) as Oid
  const branch = 'refs/heads/side'
  gitOutside(repo.dir, ['update-ref', branch, base])
  const theirs = await commitFiles(repo, { 'c.md': '# Theirs\n' }, { ref: branch })
  const ours = await commitFiles(repo, { 'a.md': '# Ours\n' })
  const before = await viewRevision(ctx, space.id, ours)
  const merged = await commitFiles(
    repo,
    { 'c.md': '# Theirs\n' },
    { parents: [ours, theirs], base: ours },
  )
  const view = await viewRevision(ctx, space.id, merged)

  assert.is(view.content.pageByFile.get('a.md'), before.content.pageByFile.get('a.md'))
  assert.is.not(view.content.pageByFile.get('c.md'), before.content.pageByFile.get('c.md'))
  assert.is(view.content.pageByFile.get('c.md')?.facts?.h1, 'Theirs')
  const again = await commitFiles(repo, { 'c.md': '# C\n' })
  const back = await commitFiles(repo, { 'c.md': '# Theirs\n' })

  assert.is((await viewRevision(ctx, space.id, back)).content, view.content)
  assert.is.not((await viewRevision(ctx, space.id, again)).content, view.content)
})

test('a view whose identity differs from the previous revision has its own page ids', async () => {
  const { repo, space, api } = await makeSpace(app, first)
  const { body } = await app.admin.get(`${api}/content/pages`)
  const a = (body.pages as { id: string; path: string }[]).find(({ path }) => path === 'a')!
  const edit = { changes: [{ operation: 'update_page', page: a.id, slug: 'renamed' }] }
  const edited = await app.admin.post(`${api}/content`, edit)

  assert.is(edited.status, 200)
  const head = gitOutside(repo.dir, ['rev-parse', main]) as Oid
  const kept = await viewRevision(ctx, space.id, head)

  assert.is(kept.content.pageById.get(a.id)?.file?.path, 'renamed.md')
  const pushed = await commitFiles(repo, { 'c.md': '# Pushed\n' })
  const after = await app.admin.get(`${api}/content/page/${a.id}`)

  assert.is(after.body.path, 'renamed')
  const near = await viewRevision(ctx, space.id, pushed)

  ctx.caches.get(viewCache).delete(`${space.id} ${pushed}`)
  ctx.caches.get(viewCache).delete(`${space.id} ${head}`)
  assert.equal((await viewRevision(ctx, space.id, pushed)).content, near.content)
})

test('facts of more pages than one batch are all stored', async () => {
  const pages = Array.from({ length: 2_100 }, (_, i) => [`p/${i}.md`, `# Page ${i}\n`])
  const { repo, space } = await makeSpace(app, Object.fromEntries(pages))
  const head = gitOutside(repo.dir, ['rev-parse', main]) as Oid
  const { content } = await viewRevision(ctx, space.id, head)
  const oids = [...content.pageByFile.values()].flatMap(page => page.file?.oid ?? [])
  assert.is(findBlobFacts(ctx.store, 'blob_facts', oids, factsVersion).size, 2_100)
})

test('the tree input of a view is the same from the view as from Git', async () => {
  const { repo, space } = await makeSpace(app, {
    ...first,
    'unlisted.md': '# U\n',
    '.gitbook/includes/i.md': '---\ntitle: I\n---\n',
    '.gitbook/vars.yaml': 'a: b\nc: [\n',
    '.gitbook.yaml': 'redirects: 3\n',
  })

  const view = await viewRevision(
    ctx,
    space.id,
    await commitFiles(repo, { 'a.md': '---\nicon: x\n---\n# A\n' }),
  )
  const read = (await readContent(ctx, repo, space.id, view.treeOid as Oid)).input
  const known = await readInput(ctx, repo, space.id, view)
  const plain = ({ facts, ...rest }: typeof read) => [rest, rest.files.map(file => facts(file.oid))]

  assert.equal(plain(known), plain(read))
  assert.is(known.summary, view.content.summary)
  assert.ok(known.issues!.length >= 2)
})

test.run()
