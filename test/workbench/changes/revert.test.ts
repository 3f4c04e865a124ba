import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { openStage } from './stage.ts'

const app = await startApp()
test.after(() => app.stop())
const stage = await openStage(app, {
  'README.md': '# Home\n\nWords.\n\nKeep.\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n',
})
const first = (await app.admin.get(`/v1/spaces/${stage.id}`)).body.revision as string
const lea = await stage.member('Lea', 'edit')
const mia = await stage.member('Mia', 'read')
const textOf = async (number: number): Promise<string> =>
  (await app.admin.get(`${stage.api}/${number}/content/path/readme?format=markdown`)).body.markdown

test('a merged change request is reverted by a new one', async () => {
  const { path } = await stage.request({ 'README.md': '# Home\n\nBad words.\n\nKeep.\n' }, lea)
  assert.match(await lea.open(`${path}/revert`), 'is not merged')
  await lea.send(path, `${path}/merge`)
  assert.match(await lea.open(path), `href="${path}/revert"`)
  assert.not.match(await mia.open(path), `href="${path}/revert"`)
  await mia.open(`${path}/revert`, 403)

  const to = await lea.send(`${path}/revert`, `${path}/revert`)
  assert.is(to, `${stage.list}/2`)
  const html = await lea.open(to)
  assert.match(html, 'Revert &quot;Changes&quot;')
  assert.match(html, 'This takes back what #1 brought.')
  assert.match(await textOf(2), 'Words.')
})

test('a revert with conflicts asks for choices, and keeps them', async () => {
  const path = `${stage.list}/1`
  await stage.commit({ 'README.md': '# Home\n\nLater <b>words</b>.\n\nKeep.\n' })
  const page = await lea.open(`${path}/revert`)
  assert.match(page, 'The same places were changed again later.')
  assert.match(page, 'Later &lt;b>words')
  const [, hunk = ''] = /name="(hunk\|[^"]+)"/.exec(page) ?? []

  const fields = { subject: 'Back', [hunk.replaceAll('&amp;', '&')]: 'theirs' }
  const csrf = await lea.browser.csrf()
  const shown = await lea.browser.post(`${path}/revert`, { csrf, ...fields, do: 'preview' })
  assert.is(shown.status, 200)
  assert.match(shown.text, /class="result".*<del>Later.*Keep/s)
  assert.match(shown.text, 'value="Back"')
  const to = await lea.send(`${path}/revert`, `${path}/revert`, fields)
  assert.is(to, `${stage.list}/3`)
  assert.match(await lea.open(to), 'Back')
  assert.match(await textOf(3), 'Words.')

  const none = await lea.browser.post(`${path}/revert`, { csrf, subject: 'Mine <i>' })
  assert.is(none.status, 409)
  assert.match(none.text, 'One file lacks a choice')
  assert.match(none.text, 'value="Mine &lt;i>"')
})

test('the space is restored to a revision by a change request', async () => {
  const page = `/app/s/${stage.id}/history/${first}`
  assert.not.match(await mia.open(page), 'Restore the space')
  const to = await lea.send(page, `${page}/restore`)
  const html = await lea.open(to)
  assert.match(html, 'It has the content of the revision.')
  const number = Number(to.split('/').at(-1))
  assert.match(await textOf(number), 'Words.')

  const { body } = await app.admin.get(`/v1/spaces/${stage.id}`)
  const now = `/app/s/${stage.id}/history/${body.revision}`
  assert.not.match(await lea.open(now), 'Restore the space')
  const csrf = await lea.browser.csrf()
  assert.is((await lea.browser.post(`${now}/restore`, { csrf })).status, 409)
  const odd = await lea.browser.post(`/app/s/${stage.id}/history/--help/restore`, { csrf })
  assert.is(odd.status, 404)
})

test.run()
