import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { findSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { listPermissions } from '../../support/permissions.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const day = 24 * 60 * 60 * 1000
const run = { signal: new AbortController().signal, attempt: 1 }

test.after(() => app.stop())

const make = async (): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString()
const folder = (id: string) => spaceFolder(app.ctx.config.dataDir, id)
const purgeJobs = (id: string) =>
  app.ctx.store.all(
    query.selectFrom('job').selectAll().where('kind', '=', 'purge-space').where('key', '=', id),
  )

test('admins can delete a space, and only they can read and restore it', async () => {
  const id = await make()
  const path = `/v1/spaces/${id}`
  assert.is((await creator.delete(path)).status, 403)
  assert.is((await member.delete(path)).status, 403)
  assert.is((await guest.delete(path)).status, 204)
  assert.is((await app.anonymous.delete(path)).status, 401)
  assert.not('deletedAt' in (await app.admin.get(path)).body)

  assert.is((await app.admin.delete(path)).status, 204)
  const deleted = await app.admin.get(path)

  assert.is(deleted.status, 200)
  assert.ok(Date.now() - Date.parse(deleted.body.deletedAt) < 60_000)
  assert.is((await creator.get(path)).status, 404)
  assert.is((await member.get(path)).status, 404)
  const content = await app.admin.get(`${path}/content`)

  assert.is(content.status, 404)
  assert.is(
    content.body.error.message,
    `The space is deleted. Restore it with POST ${path}/restore.`,
  )
  assert.match((await member.get(`${path}/content`)).body.error.message, /^There is no space/)
  assert.is((await app.admin.patch(path, { title: 'X' })).status, 404)

  for (const verb of ['duplicate', 'move', 'transfer']) {
    const reply = await app.admin.post(`${path}/${verb}`, { parent: null, organization: 'acme' })
    assert.is(reply.status, 404, verb)
  }

  for (const who of [app.admin, creator, member]) assert.is((await who.delete(path)).status, 204)
  assert.is((await app.admin.get(path)).body.deletedAt, deleted.body.deletedAt)
  assert.is((await app.admin.delete('/v1/spaces/unknown')).status, 204)

  assert.is((await creator.post(`${path}/restore`)).status, 404)
  assert.is((await app.anonymous.post(`${path}/restore`)).status, 401)
  const restored = await app.admin.post(`${path}/restore`)

  assert.is(restored.status, 200)
  assert.not('deletedAt' in restored.body)
  assert.is((await member.get(path)).status, 200)
  assert.equal((await app.admin.post(`${path}/restore`)).body, restored.body)
  assert.is((await creator.post(`${path}/restore`)).status, 403)
})

test('the removal job is due after seven days, and is cancelled by a restore', async () => {
  const id = await make()
  await app.admin.delete(`/v1/spaces/${id}`)
  const deletedAt = Date.parse(findSpace(app.ctx.store, id)?.deleted_at ?? '')
  assert.equal(
    purgeJobs(id).map(job => job.run_at),
    [deletedAt + 7 * day],
  )
  await app.admin.post(`/v1/spaces/${id}/restore`)
  assert.equal(purgeJobs(id), [])
  await app.admin.delete(`/v1/spaces/${id}`)
  assert.is(purgeJobs(id).length, 1)
})

test('after seven days it cannot be restored, and its rows and repository are removed', async () => {
  const id = await make()
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: id,
    subject_kind: 'user',
    subject_id: 'gus',
    role: 'read',
    created_at: daysAgo(0),
  })
  await app.admin.delete(`/v1/spaces/${id}`)
  updateSpace(app.ctx.store, id, { deleted_at: daysAgo(7.001) })
  assert.is((await app.admin.post(`/v1/spaces/${id}/restore`)).status, 404)
  app.ctx.store.run(query.updateTable('job').set({ run_at: Date.now() }).where('key', '=', id))
  assert.ok(existsSync(folder(id)))
  app.ctx.wake()
  for (let i = 0; i < 1000 && purgeJobs(id).length > 0; i++) await sleep(20)
  assert.is(findSpace(app.ctx.store, id), undefined)
  assert.not(existsSync(folder(id)))
  assert.equal(listPermissions(app.ctx.store, 'space', id), [])
  assert.is((await app.admin.get(`/v1/spaces/${id}`)).status, 404)
  assert.is((await app.admin.delete(`/v1/spaces/${id}`)).status, 204)
  assert.equal(app.ctx.store.problems(), [])
})

test('the job checks again: it keeps restored and recent spaces, and cleans up after a crash', async () => {
  const [restored, young, left] = [await make(), await make(), await make()]
  await purgeSpace(app.ctx, { spaceId: restored }, run)
  updateSpace(app.ctx.store, young, { deleted_at: daysAgo(6) })
  await purgeSpace(app.ctx, { spaceId: young }, run)
  for (const id of [restored, young])
    assert.ok(findSpace(app.ctx.store, id) && existsSync(folder(id)))
  assert.is(purgeJobs(young).length, 1)

  app.ctx.store.run(query.deleteFrom('space').where('id', '=', left))
  await purgeSpace(app.ctx, { spaceId: left }, run)
  assert.not(existsSync(folder(left)))
  await purgeSpace(app.ctx, { spaceId: left }, run)
})

test.run()
