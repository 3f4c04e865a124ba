import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { formIn } from '../forms.ts'
import { openStage } from './stage.ts'

const app = await startApp()
test.after(() => app.stop())

test('a reply that is refused stands on the page of changes again, with what was typed', async () => {
  const stage = await openStage(app, {
    'README.md': '# Home\n\nWords.\n',
    'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n',
  })
  const lea = await stage.member('Lea', 'edit')
  const { path } = await stage.request({ 'README.md': '# Home\n\nOther words.\n' })
  const [first = ''] = (await lea.browser.get(`${path}/pages`)).headers.get('location')!.split('?')
  const page = first.replace(app.url, '')
  await lea.send(page, `${page}/comments`, { text: 'A comment' }, 'page')
  const html = await lea.open(page)
  const [, action = ''] = new RegExp(`action="(${path}/comments/[^"]+)"`).exec(html) ?? []
  const [, name = ''] = /name="form" value="(answer-[^"]+)"/.exec(html) ?? []
  const fields = formIn(html, action, name)
  const text = 'x'.repeat(100_001)
  const refused = await lea.browser.post(action, { ...fields, do: 'reply', text })
  assert.is(refused.status, 400)
  assert.match(refused.text, `action="${page}/comments"`)
  assert.match(refused.text, text)

  const lost = await lea.browser.post(action, { ...fields, do: 'reply', text, back: '../nope' })
  assert.is(lost.status, 400)
})

test.run()
