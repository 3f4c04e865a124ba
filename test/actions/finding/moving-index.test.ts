import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findInOpened } from '../../../src/actions/audience/finding/find-in.ts'
import { openContent } from '../../../src/actions/audience/open-content.ts'
import { indexPrimary, primarySource } from '../../../src/actions/search/index-search.ts'
import { searchSource } from '../../../src/actions/search/search-source.ts'
import { searchTerms } from '../../../src/content/search/words.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { deleteSearchIndex } from '../../../src/store/search/search-index.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'

const app = await startApp()
test.after(() => app.stop())
holdSearch(app.ctx)

test('a search starts again if the index lost pages after it had reached the content', async () => {
  const { ctx } = app
  const { space, repo } = await makeSpace(app, { 'README.md': '# Home\n' })
  const first = await commitFiles(repo, { 'old.md': '# Old\n\nForsaken.\n' })
  await commitFiles(repo, { 'old.md': null })
  await indexPrimary(ctx, space.id, await primarySource(ctx, space, first))
  const user = findUser(ctx.store, 'ada')!
  const open = await openContent(
    ctx,
    { space, user, role: 'admin', scope: { kind: 'revision', oid: first } },
    { computed: true },
  )
  let tries = 0
  const wanted = {
    query: 'forsaken',
    // A search reads its terms after it has reached the content.
    get terms() {
      if (tries++ === 0) deleteSearchIndex(ctx.store)
      return searchTerms('forsaken')
    },
  }

  const { found } = await findInOpened(
    open,
    searchSource(open.view, open.whole, () => true),
    wanted,
  )

  assert.equal(
    found.map(({ row }) => row.path),
    ['old'],
  )
})

test.run()
