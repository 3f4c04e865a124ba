import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkFiles } from '../../../src/actions/clearance/check-files.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

test('the files of a commit that passed are not read again', async () => {
  const { repo } = await makeSpace(app)
  const { repo: other } = await makeSpace(app)
  const before = await commitFiles(repo, { 'a.md': '# A\n' })
  const head = await commitFiles(repo, { 'b.md': '# B\n' })
  await checkFiles(app.ctx, repo, { head, beside: [before] })
  // The other repository does not have the commits.
  await checkFiles(app.ctx, other, { head, beside: [before] })
})

test('a refused commit is checked each time', async () => {
  const { repo } = await makeSpace(app)
  const before = await commitFiles(repo, { 'a.md': '# A\n' })
  const arrival = { head: await commitFiles(repo, { '\u0430.md': 'x' }), beside: [before] }

  for (let times = 0; times < 2; times++)
    try {
      await checkFiles(app.ctx, repo, arrival)
      assert.unreachable()
    } catch (error) {
      assert.match((error as Error).message, /looks like "a\.md"/)
    }
})

test.run()
