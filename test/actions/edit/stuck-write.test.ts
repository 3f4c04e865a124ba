import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findChangeRequest } from '../../../src/store/discussions/change-requests.ts'
import { listIntents } from '../../../src/store/git/intents.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { makeSpace } from '../../api/change-requests/workbench.ts'
import { type App, startApp } from '../../support/app.ts'
import { fsck } from '../../support/git/repo.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))

test('a write refused because of a locked branch leaves no intent in the journal', async () => {
  const space = await makeSpace(app)
  const before = await space.head()
  const lock = join(space.repo.dir, 'refs/heads/main.lock')
  writeFileSync(lock, '')
  const changes = [{ operation: 'insert_page', title: 'Late', document: { markdown: 'Late.\n' } }]
  const refused = await app.admin.post(`/v1/spaces/${space.id}/content`, { changes })

  assert.ok([409, 503].includes(refused.status), refused.text)
  assert.equal(listIntents(app.ctx.store), [])
  assert.is((await app.admin.get('/readyz')).status, 200)
  rmSync(lock)
  assert.is(await space.head(), before)
  const done = await app.admin.post(`/v1/spaces/${space.id}/content`, { changes })

  assert.is(done.status, 200, done.text)
})

test('a merge whose rows could not be written is completed before the next access to the space', async () => {
  const space = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'Guide', { 'guide.md': '# Guide\n' })
  const path = `${space.path}/${request.id}`
  execute(
    "create trigger broken before update of status on change_request begin select raise(abort, 'no room'); end",
  )
  const failed = await app.admin.post(`${path}/merge`)

  assert.is(failed.status, 503)
  execute('drop trigger broken')
  const head = await space.head()

  const { body: shown } = await app.admin.get(path)

  assert.is(shown.status, 'merged')
  assert.is(shown.revisionMerged, head)
  assert.is(await space.head(request.number), undefined)
  assert.equal(listIntents(app.ctx.store), [])
  assert.is((await app.admin.post(`${path}/merge`)).status, 409)
  assert.is(await space.head(), head)
  fsck(space.repo)
})

test('an edit whose rows could not be written becomes the parent of the next one', async () => {
  const space = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'Guide')
  const path = `${space.path}/${request.id}`
  const insert = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: {} }],
  })

  execute(
    "create trigger broken before update of revision on change_request begin select raise(abort, 'no room'); end",
  )
  assert.is((await app.admin.post(`${path}/content`, insert('One'))).status, 503)
  execute('drop trigger broken')
  const second = await app.admin.post(`${path}/content`, insert('Two'))

  assert.is(second.status, 200, second.text)
  assert.equal(listIntents(app.ctx.store), [])
  const { body: pages } = await app.admin.get(`${path}/content/pages`)

  assert.equal(
    pages.pages.map((page: { title: string }) => page.title),
    ['Docs', 'One', 'Two'],
  )
  const contributor = (await app.admin.get(`${path}/contributors`)).body.items[0]

  assert.is(contributor.count, 2)
  assert.is(
    findChangeRequest(app.ctx.store, space.id, request.id)?.revision,
    await space.head(request.number),
  )
})

test.run()
