import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { fetchCorpus, readCorpora } from '../../support/corpus/corpora.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { gitOutside } from '../../support/git/repo.ts'

type Page = {
  id: string
  slug: string
  title: string
  type: string
  git?: { path: string }
  pages?: Page[]
}

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

for (const corpus of readCorpora()) {
  test(`${corpus.name}: edits touch what they are about, and nothing is left of those taken back`, async () => {
    const made = await makeSpace(app)
    fetchCorpus(made, corpus)
    const path = `${made.api}/content`
    const git = (...args: string[]) => gitOutside(made.repo.dir, args)
    const edit = async (...changes: object[]) => {
      const reply = await app.admin.post(path, { changes })
      assert.is(reply.status, 200, reply.text)
      return reply.body
    }

    const listed = async () => {
      const all: Page[] = (await app.admin.get(`${path}/pages`)).body.pages
      for (let at = 0; at < all.length; at++) all.push(...(all[at]!.pages ?? []))
      return all
    }
    const pages = await listed()
    const [tree, head] = [git('rev-parse', 'main^{tree}'), git('rev-parse', 'main')]
    const some = pages
      .filter(page => page.git && page.type === 'document')
      .filter((_, i) => i % 25 === 3)

    for (const { id } of some) {
      const { markdown } = (await app.admin.get(`${path}/page/${id}`)).body
      const same = await edit({ operation: 'update_page', page: id, document: { markdown } })
      assert.is(same.revision, head)
    }

    const [page] = some
    const { markdown } = (await app.admin.get(`${path}/page/${page!.id}`)).body

    await edit({
      operation: 'update_page',
      page: page!.id,
      document: { markdown: `${markdown}\nOne more line.\n` },
    })
    assert.is(git('diff-tree', '-r', '--name-only', `${head}`, 'main'), page!.git!.path)
    await edit({ operation: 'update_page', page: page!.id, document: { markdown } })
    const inserted = await edit(
      ...[1, 2, 3].map(n => ({
        operation: 'insert_page',
        title: `New ${n}`,
        document: {},
        into: page!.id,
      })),
    )

    assert.match(
      git('diff', '--numstat', head, 'main', '--', 'SUMMARY.md', '*/SUMMARY.md'),
      /^3\t0\t/,
    )

    await edit(
      ...inserted.changes.map((change: { page: Page }) => ({
        operation: 'delete_page',
        page: change.page.id,
      })),
    )
    assert.is(git('rev-parse', 'main^{tree}'), tree)

    // A page of its own and one in a folder, there and back with links. Escaped underscores are
    // lost on the way.
    for (const ending of [/(?<!README)\.md$/, /.\/README\.md$/]) {
      const renamed = pages
        .filter(
          ({ type, git }) =>
            type === 'document' && git && ending.test(git.path) && !git.path.includes('_'),
        )
        .at(2)
      if (!renamed) continue
      await edit({ operation: 'update_page', page: renamed.id, slug: 'quite-another-name' })
      const after = await listed()

      assert.equal(after.map(({ id }) => id).sort(), pages.map(({ id }) => id).sort())
      await edit({ operation: 'update_page', page: renamed.id, slug: renamed.slug })
      assert.is(git('diff', '--stat', tree, 'main'), '', renamed.git!.path)
    }
  })
}

test.run()
