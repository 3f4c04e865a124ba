import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { insertUser } from '../../src/store/people/users.ts'
import {
  deleteCollection,
  findCollection,
  insertCollection,
  levelsBelow,
  listAncestry,
} from '../../src/store/spaces/collections.ts'
import { findSpace, insertSpace, updateSpace } from '../../src/store/spaces/spaces.ts'
import { Store } from '../../src/store/store.ts'
import { listPermissions } from '../support/permissions.ts'

const at = '2026-01-01T00:00:00.000Z'

function makeStore(): Store {
  const store = new Store(':memory:')
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  return store
}

const addSpace = (store: Store, id: string, collection_id: string | null, position = 0) =>
  insertSpace(store, {
    id,
    organization_id: 'acme',
    title: id,
    collection_id,
    position,
    created_at: at,
    updated_at: at,
  })

const addCollection = (store: Store, id: string, parent_id: string | null, position = 0) =>
  insertCollection(store, {
    id,
    organization_id: 'acme',
    parent_id,
    title: id,
    position,
    created_at: at,
  })

test('only an empty collection can be deleted, and its deleted spaces keep their access', () => {
  const store = makeStore()
  insertUser(store, { id: 'ann', display_name: 'Ann', email: null, created_at: at })
  addCollection(store, 'c1', null)
  const inner = addCollection(store, 'c2', 'c1')

  assert.equal(listAncestry(store, 'c2'), ['c2', 'c1'])
  assert.is(levelsBelow(store, 'c1'), 2)
  addSpace(store, 's1', 'c2')
  const grant = { subject_kind: 'user', subject_id: 'ann', role: null, created_at: at } as const

  putPermission(store, { ...grant, target_kind: 'collection', target_id: 'c2' })
  assert.not(deleteCollection(store, inner, at))
  updateSpace(store, 's1', { deleted_at: at })
  assert.ok(deleteCollection(store, { ...inner, default_level: 'read' }, at))
  assert.is(findCollection(store, 'c2'), undefined)
  const space = findSpace(store, 's1')

  assert.equal([space?.collection_id, space?.default_level], ['c1', 'read'])
  assert.equal(
    listPermissions(store, 'space', 's1').map(row => [row.subject_id, row.role]),
    [['ann', null]],
  )
  assert.equal(listPermissions(store, 'collection', 'c2'), [])
  assert.equal(store.problems(), [])
  store.close()
})

test.run()
