import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { enqueue } from '../../../src/queue/enqueue.ts'
import { openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const home = () => openPage(app, '/', { accept: 'text/html' })

test('the first page says how a folder becomes a site', async () => {
  const { status, text, headers } = await home()
  assert.is(status, 200)
  assert.match(text, '<code>npx stemma publish ./docs</code>')
  assert.is(headers.get('refresh'), null)
})

test('while a job brings the manual, the first page opens itself again', async () => {
  const at = new Date()
  const runAt = at.getTime() + 3_600_000
  const order = { kind: 'bring-manual', payload: { key: 'k' }, lane: 'bring-manual' } as const
  enqueue(app.ctx.store, { ...order, runAt }, at)
  assert.is((await home()).headers.get('refresh'), '1')
})

test.run()
