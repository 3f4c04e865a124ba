import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { viewCache } from '../../../src/actions/revisions/view-revision.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../change-requests/workbench.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

test('everything can be read while nothing can be written', async () => {
  const space = await makeSpace(app)
  await space.commit({ 'fresh.md': '# Fresh\n', 'pixel.gif': 'GIF89a' })
  const content = `/v1/spaces/${space.id}/content`
  const { body: revision } = await app.admin.get(content)

  app.ctx.caches.get(viewCache).delete(`${space.id} ${revision.id}`)
  execute('delete from blob_facts')
  execute('delete from blob_media')
  execute('pragma query_only = on')
  const pages = await app.admin.get(`${content}/pages`)
  const files = await app.admin.get(`${content}/files`)
  const changes = [{ operation: 'insert_page', title: 'More', document: {} }]
  const refused = await app.admin.post(content, { changes })

  execute('pragma query_only = off')
  assert.is(pages.status, 200, pages.text)
  assert.is(files.status, 200, files.text)
  assert.is(files.body.items.find((file: { name: string }) => file.name === 'pixel.gif').size, 6)
  assert.is(refused.status, 503, refused.text)
  assert.is((await app.admin.post(content, { changes })).status, 200)
})

test.run()
