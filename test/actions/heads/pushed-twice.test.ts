import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../../api/change-requests/workbench.ts'
import { startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'
import { gitOutside } from '../../support/git/repo.ts'

const app = await startApp()
test.after(() => app.stop())

test('a push that arrives while the previous one is being recorded is recorded before a write builds on it', async () => {
  const space = await makeSpace(app)
  const path = `/v1/spaces/${space.id}/content`
  const insert = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown: 'Words.' } }],
  })
  const first = await space.commit({ 'first.txt': 'one\n' })
  const tree = gitOutside(space.repo.dir, ['rev-parse', `${first}^{tree}`])
  const second = gitOutside(space.repo.dir, ['commit-tree', tree, '-p', first, '-m', 'By hand'])

  const { info } = app.ctx.log
  let pushed = false

  app.ctx.log.info = (...said: unknown[]) => {
    if (!pushed && String(said[1]).startsWith('recorded commits')) {
      pushed = true
      gitOutside(space.repo.dir, ['update-ref', 'refs/heads/main', second])
    }
  }
  const { status, text } = await app.admin.post(path, insert('Page'))

  app.ctx.log.info = info
  assert.is(status, 200, text)
  assert.ok(pushed)
  const moved = eventsOf(app, space.id).filter(({ action }) => action === 'space.content_updated')
  const [byFirst, bySecond, byEdit, ...others] = moved.slice(-3)

  assert.equal(byFirst?.details.revision, first)
  assert.equal(bySecond?.details, { revision: second, from: first, pushed: true })
  assert.is(byEdit?.details.from, second)
  assert.equal(others, [])
})

test.run()
