import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { duplicateSpace } from '../../../src/actions/spaces/duplicate-space.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { deleteCollection, insertCollection } from '../../../src/store/spaces/collections.ts'
import { deleteSpace, findSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const by = findUser(app.ctx.store, 'ada')
if (!by) throw new Error('There is no user ada.')
const at = '2026-01-01T00:00:00.000Z'

test.after(() => app.stop())

const spaces = join(app.dataDir, 'spaces')
const folders = () =>
  readdirSync(spaces, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.git'))
    .length

/**
 * Starts `work`, then runs `meanwhile` before `work` writes its rows. Returns the message that
 * `work` throws.
 */
async function raced(work: Promise<unknown>, meanwhile: () => unknown): Promise<string> {
  meanwhile()
  return work.then(
    () => 'nothing was thrown',
    (error: Error) => error.message,
  )
}

test('creating a space in a collection that is deleted meanwhile leaves no repository', async () => {
  const row = { organization_id: 'acme', parent_id: null, title: 'C', position: 1, created_at: at }
  const collection = insertCollection(app.ctx.store, { ...row, id: 'c1' })
  await createSpace(app.ctx, { organization_id: 'acme', title: 'First' }, by)
  const before = folders()
  const making = createSpace(
    app.ctx,
    { organization_id: 'acme', title: 'S', collection_id: 'c1' },
    by,
  )
  const message = await raced(making, () =>
    assert.ok(deleteCollection(app.ctx.store, collection, at)),
  )

  assert.match(message, /no collection "c1"/)
  assert.is(folders(), before)
})

test('copying a space that is deleted meanwhile leaves no copy', async () => {
  const space = await createSpace(app.ctx, { organization_id: 'acme', title: 'S' }, by)
  const before = folders()
  const message = await raced(duplicateSpace(app.ctx, space, by), () =>
    updateSpace(app.ctx.store, space.id, { deleted_at: at }),
  )
  assert.match(message, /There is no space/)
  assert.is(folders(), before)
  deleteSpace(app.ctx.store, space.id)
  assert.is(findSpace(app.ctx.store, space.id), undefined)
})

test.run()
