import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putPermission } from '../../src/store/people/permissions.ts'
import type { Role } from '../../src/store/tables/roles.ts'
import { makeSpace, type Space } from '../api/change-requests/workbench.ts'
import { type Actor, type App, startApp } from '../support/app.ts'
import { sendInLine } from '../support/in-line.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

/** Returns the outcome of a write that waits for its turn while `meanwhile` happens. */
async function waiting(
  space: Space,
  write: () => ReturnType<Actor['post']>,
  meanwhile: () => unknown,
) {
  let reply: ReturnType<Actor['post']> | undefined
  await app.ctx.locks.run(space.id, async () => {
    reply = (await sendInLine(app.ctx.locks, space.id, write)).reply
    await meanwhile()
  })
  return reply!
}

const grant = (space: Space, user: Actor, role: Role | null) =>
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: space.id,
    subject_kind: 'user',
    subject_id: user.id,
    role,
    created_at: space.row.created_at,
  })

test('a write is refused when the role is lost while it waits', async () => {
  const space = await makeSpace(app)
  const eva = space.user('Eva', 'edit')
  const { body: request } = await space.open(eva, 'One', { 'a.md': '# A\n' })
  await space.commit({ 'b.md': '# B\n' })
  const before = await space.head(request.number)

  for (const path of [
    space.path,
    `${space.path}/${request.id}/update`,
    `${space.path}/${request.id}/merge`,
  ]) {
    grant(space, eva, 'edit')
    const reply = await waiting(
      space,
      () => eva.post(path),
      () => grant(space, eva, 'read'),
    )
    assert.is(reply.status, 403, `${path}: ${reply.text}`)
  }

  assert.is(await space.head(request.number), before)
  assert.is((await app.admin.get(space.path)).body.count, 1)
})

test('a write is refused when the space is deleted while it waits', async () => {
  const space = await makeSpace(app)
  const { body: request } = await space.open(app.admin, 'One', { 'a.md': '# A\n' })
  await space.commit({ 'b.md': '# B\n' })
  const before = await space.head(request.number)
  const reply = await waiting(
    space,
    () => app.admin.post(`${space.path}/${request.id}/update`),
    () => app.admin.delete(`/v1/spaces/${space.id}`),
  )

  assert.is(reply.status, 404, reply.text)
  assert.is(await space.head(request.number), before)
})

test('a change request cannot be edited after the role is lost', async () => {
  const space = await makeSpace(app)
  const ida = space.user('Ida', 'edit')
  const { body: request } = await space.open(ida, 'One')
  const reply = await waiting(
    space,
    () => ida.patch(`${space.path}/${request.id}`, { subject: 'Two', status: 'archived' }),
    () => grant(space, ida, 'read'),
  )

  assert.is(reply.status, 403, reply.text)
  const { body: after } = await app.admin.get(`${space.path}/${request.id}`)

  assert.equal([after.subject, after.status], ['One', 'open'])
})

test.run()
