import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace, paragraph } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
test.after(() => app.stop())

test('a description is set as Markdown or a document, and removed by null or an empty text', async () => {
  const { number } = (
    await editor.post(space.path, {
      subject: 'Written',
      description: { markdown: 'The **why**\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' },
    })
  ).body
  const one = `${space.path}/${number}`
  const described = async (description: unknown) => {
    const { status, body, text } = await editor.patch(one, { description })
    assert.is(status, 200, text)
    return body.description
  }
  const [first] = (await editor.get(one)).body.description.nodes

  assert.equal([first.type, first.nodes[0].leaves[0].text], ['paragraph', 'The '])
  for (const nothing of [null, { markdown: '' }, { markdown: ' \n' }]) {
    assert.equal(await described({ document: paragraph('Because') }), paragraph('Because'))
    assert.is(await described(nothing), undefined)
  }
})

test('subject, description and status change only when sent', async () => {
  const { body: made } = await space.open(editor, 'First')
  const one = `${space.path}/${made.id}`
  const described = await editor.patch(one, { description: paragraph('Because') })
  assert.is(described.status, 200)
  assert.equal(described.body.description, paragraph('Because'))
  assert.is(described.body.subject, 'First')
  assert.ok(described.body.updatedAt > made.updatedAt)
  const renamed = await editor.patch(one, { subject: 'Second' })

  assert.is(renamed.body.subject, 'Second')
  assert.equal(renamed.body.description, paragraph('Because'))
  const same = await editor.patch(one, { subject: 'Second' })

  assert.is(same.body.updatedAt, renamed.body.updatedAt)
})

test('it can be archived, reopened and made a draft again', async () => {
  const { body: made } = await space.open(editor, 'To and fro')
  const one = `${space.path}/${made.number}`
  for (const status of ['archived', 'open', 'draft', 'open']) {
    const reply = await editor.patch(one, { status })
    assert.is(reply.status, 200)
    assert.is(reply.body.status, status)
  }
})

test('only a merge sets the status merged, and it stays', async () => {
  const { body: made } = await space.open(editor, 'To be merged', { 'a.md': '# A\n' })
  const one = `${space.path}/${made.number}`
  assert.is((await editor.patch(one, { status: 'merged' })).status, 400)
  assert.is((await editor.post(`${one}/merge`)).status, 200)
  const reopened = await editor.patch(one, { status: 'open' })

  assert.is(reopened.status, 409)
  assert.match(reopened.body.error.message, 'merged')
  assert.is((await editor.post(`${one}/merge`)).status, 409)
  assert.is((await editor.post(`${one}/update`)).status, 409)

  // Its texts can still be corrected.
  assert.is((await editor.patch(one, { subject: 'Was merged' })).body.subject, 'Was merged')
})

test('invalid changes are refused', async () => {
  const { body: made } = await space.open(editor, 'Refusals')
  const one = `${space.path}/${made.number}`
  assert.is((await editor.patch(one, { subject: '🎉'.repeat(100) })).body.subject, '🎉'.repeat(100))
  assert.is((await editor.patch(one, { subject: '🎉'.repeat(101) })).status, 400)
  assert.is((await editor.patch(one, { subject: 'x'.repeat(101) })).status, 400)
  assert.is((await editor.patch(one, { status: 'closed' })).status, 400)
  assert.is((await editor.patch(one, { colour: 'red' })).status, 400)
  assert.is((await editor.patch(one, { description: 'words' })).status, 400)
  assert.is((await editor.patch(`${space.path}/999`, { subject: 'x' })).status, 404)
  assert.is((await space.user('Rea', 'comment').patch(one, { subject: 'x' })).status, 403)
  assert.is((await app.user('Stranger').patch(one, { subject: 'x' })).status, 404)
  assert.is((await app.anonymous.patch(one, { subject: 'x' })).status, 401)
  assert.is((await app.admin.patch(one, { subject: 'By the admin' })).status, 200)
})

test.run()
