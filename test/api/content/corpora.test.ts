import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from '../../../src/api/content/schema.ts'
import { startApp } from '../../support/app.ts'
import { fetchCorpus, readCorpora } from '../../support/corpus/corpora.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { gitOutside, main } from '../../support/git/repo.ts'

const app = await startApp()
test.after(() => app.stop())

const every = (pages: readonly Page[]): Page[] =>
  pages.flatMap(page => [page, ...every(page.pages ?? [])])

function depthsOf(pages: readonly Page[], depth = 1, found: Record<string, number> = {}) {
  for (const page of pages) {
    if (page.type !== 'group') found[depth] = (found[depth] ?? 0) + 1
    depthsOf(page.pages ?? [], page.type === 'group' ? depth : depth + 1, found)
  }
  return found
}

/** Returns the id of these bytes in Git: equal ids mean equal bytes. */
const blobId = (bytes: Buffer) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

const pathOf = (file: string) => file.replace(/\/README\.md$/, '').replace(/\.md$/, '')

for (const corpus of readCorpora()) {
  const { name, roots } = corpus
  test(`${name}: what was counted is what the API shows, and every page is its file byte for byte`, async () => {
    const made = await makeSpace(app, { 'README.md': '# Before\n' }, name)
    await app.admin.get(`${made.api}/content/pages`)
    fetchCorpus(made, corpus)
    const { api, repo } = made
    const [{ summary, files, includes }] = roots
    const { status, body } = await app.admin.get(`${api}/content`)

    assert.is(status, 200)
    assert.is(body.id, gitOutside(repo.dir, ['rev-parse', main]))

    const pages = every(body.pages)
    const count = (test: (page: Page) => boolean) => pages.filter(test).length
    const documents = pages.filter(page => page.type === 'document')
    const withFile = documents.filter(page => page.git)

    assert.is(withFile.length, summary.file, 'pages with a file')
    assert.is(documents.length - withFile.length, summary.text, 'pages without one')
    assert.is(
      count(page => page.type === 'group'),
      summary.groups,
      'groups',
    )

    assert.is(
      count(page => page.type === 'link'),
      summary.url,
      'links',
    )

    assert.is(
      count(page => page.type === 'computed'),
      summary.computed,
      'computed',
    )
    assert.equal(depthsOf(body.pages), summary.depthHist)
    assert.is(body.reusableContents.length, includes, 'reusable content')
    const differing = withFile.filter(
      page => page.git!.path !== 'README.md' && page.path !== pathOf(page.git!.path),
    )

    assert.equal(
      differing.map(page => ({ file: page.git!.path, treePath: page.path })),
      summary.treePathDiffers,
    )

    // Pages, files, reusable content, the table of contents and the settings are all present.
    const listed = gitOutside(repo.dir, ['ls-tree', '-r', '-z', main]).split('\0').filter(Boolean)
    const oids = new Map(listed.map(line => [line.slice(53), line.slice(12, 52)]))

    assert.is(oids.size, files)
    const own = [...oids.keys()].filter(path =>
      /^(SUMMARY\.md|\.gitbook\.yaml|\.gitbook\/(vars|tags)\.yaml)$/.test(path),
    )

    assert.is(withFile.length + body.files.length + includes + own.length, files, 'files')

    const { body: whole } = await app.admin.get(`${api}/content/pages?format=markdown`)

    for (const page of every(whole.pages)) {
      if (page.type !== 'document' || !page.git) continue
      const bytes = Buffer.from(page.markdown ?? '')
      assert.is(page.git.oid, oids.get(page.git.path), page.git.path)
      assert.is(blobId(bytes), page.git.oid, `${page.git.path} byte for byte`)
    }

    const [some] = withFile.slice(-1)
    const byId = await app.admin.get(`${api}/content/page/${some!.id}`)

    assert.is(blobId(Buffer.from(byId.body.markdown)), some!.git!.oid)
    const byPath = await app.admin.get(`${api}/content/path/${some!.path}`)

    assert.equal(byPath.body, byId.body)
  })
}

test.run()
