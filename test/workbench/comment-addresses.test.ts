import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { openStage } from './changes/stage.ts'

const app = await startApp()
test.after(() => app.stop())
const stage = await openStage(app, { 'README.md': '# Home\n\nFirst paragraph.\n' })
const lea = await stage.member('Lea', 'edit')
const { number } = await stage.request({ 'README.md': '# Home\n\nOther words.\n' })
const [home] = (await app.admin.get(`/v1/spaces/${stage.id}/content/pages`)).body.pages

/** Posts comments with a number as their text. Returns the address of the first. */
async function post(path: string, count: number, target: object): Promise<string> {
  let first = ''
  for (let n = 1; n <= count; n++) {
    const body = { body: { markdown: `Remark ${n}.` }, ...target }
    const { status, body: made } = await app.admin.post(path, body)
    assert.is(status, 200, JSON.stringify(made))
    first ||= made.urls.app.replace(app.url, '')
  }
  return first
}

const places = [
  ['a page of a space', `/v1/spaces/${stage.id}/comments`, 101, { page: home.id }],
  ['a space', `/v1/spaces/${stage.id}/comments`, 2, {}],
  ['a page of a change request', `${stage.api}/${number}/comments`, 101, { page: home.id }],
  ['a change request', `${stage.api}/${number}/comments`, 52, {}],
] as const

for (const [name, path, count, target] of places) {
  test(`the address of a comment on ${name} leads to it, however old it is`, async () => {
    const address = await post(path, count, target)
    const [page = '', anchor = ''] = address.split('#')
    assert.match(anchor, /^comment-\w+$/)
    const html = await lea.open(page)
    assert.match(html, `id="${anchor}"`)
    assert.match(html, 'Remark 1.')
    // Without the query, the newest ones are shown.
    const newest = await lea.open(page.split('?')[0] as string)
    assert.match(newest, `Remark ${count}.`)
    if (count > 50) assert.not.match(newest, `id="${anchor}"`)
  })
}

test('from an old part of a conversation, a link leads to the latest comments', async () => {
  const { items } = (await app.admin.get(`${stage.api}/${number}/comments?limit=52`)).body
  const first = items.at(-1)
  const shown = await lea.open(first.urls.app.replace(app.url, '').split('#')[0])
  assert.match(shown, 'Show the latest comments')
  assert.not.match(shown, 'Remark 52.')
})

test('an id of another place, or of nothing, is ignored', async () => {
  const { items } = (await app.admin.get(`/v1/spaces/${stage.id}/comments?limit=1`)).body
  for (const id of [items[0].id, 'nothing', "'", 'x'.repeat(100)])
    await lea.open(`/app/s/${stage.id}/changes/${number}?comment=${encodeURIComponent(id)}`)
  const { status } = await lea.browser.get(`/app/s/${stage.id}?comment=${'x'.repeat(101)}`)
  assert.is(status, 400)
})

test.run()
