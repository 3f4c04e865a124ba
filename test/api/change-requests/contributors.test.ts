import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changeRequestRef } from '../../../src/actions/repositories/ref-names.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
space.user('Pia', 'edit')
const speaker = space.user('Sue', 'comment')
test.after(() => app.stop())

type Item = { user: { id: string }; actionType: string; count: number; updatedAt: string }

const parts = async (number: number) => {
  const { body } = await speaker.get(`${space.path}/${number}/contributors`)
  const items: Item[] = body.items
  const times = items.map(item => item.updatedAt)
  assert.equal(times, times.toSorted().reverse(), 'latest first')
  return items.map(item => `${item.user.id} ${item.actionType} ${item.count}`).sort()
}

/** Commits to a branch as a push does. */
const push = (ref: string, email: string, text: string) =>
  commitFiles(space.repo, { 'page.md': text }, { ref, email })

test('contributors are users who committed, pushed, commented or replied, with counts', async () => {
  const { body: made } = await editor.post(space.path, { subject: 'One' })
  const one = `${space.path}/${made.number}`
  assert.equal(await parts(made.number), [])
  const changes = [{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }]

  assert.is((await editor.post(`${one}/content`, { changes })).status, 200)
  const ref = changeRequestRef(made.number)

  await push(ref, 'PIA@example.org', 'one\n')
  await push(ref, 'pia@users.stemma.invalid', 'two\n')
  await push(ref, 'nobody@example.org', 'three\n')
  assert.is((await editor.get(one)).status, 200)
  await push(ref, 'pia@example.org', 'four\n')
  const { body: comment } = await speaker.post(`${one}/comments`, { body: { markdown: 'Why?' } })

  await editor.post(`${one}/comments/${comment.id}/replies`, { body: { markdown: 'So.' } })
  await editor.get(one)
  assert.equal(await parts(made.number), [
    'ed comment 1',
    'ed edit 1',
    'pia edit 3',
    'sue comment 1',
  ])

  for (const id of ['ed', 'pia', 'sue']) {
    const { body } = await speaker.get(`${space.path}?contributor=${id}`)
    assert.equal(
      body.items.map((item: { number: number }) => item.number),
      [made.number],
      id,
    )
  }
})

test('commits of the primary content do not make a contributor', async () => {
  const { body: made } = await editor.post(space.path, { subject: 'Two' })
  await push('refs/heads/main', 'pia@example.org', 'published\n')
  assert.is((await editor.post(`${space.path}/${made.number}/update`)).body.result, 'update')
  assert.equal(await parts(made.number), ['ed edit 1'])

  // The branch is set to the published commit, as a push may do.
  const head = await push('refs/heads/main', 'pia@example.org', 'again\n')
  const { body: third } = await editor.post(space.path, { subject: 'Three' })

  assert.is(third.revision, head)
  assert.equal(await parts(third.number), [])
})

test.run()
