import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { findStandings } from '../../src/store/people/roles-of-user.ts'
import { insertTeam, putTeamMember } from '../../src/store/people/teams.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { insertCollection } from '../../src/store/spaces/collections.ts'
import { insertSpace } from '../../src/store/spaces/spaces.ts'
import { Store } from '../../src/store/store.ts'

const at = '2026-01-01T00:00:00.000Z'

/**
 * An organization with nested collections, a space in the inner one and a space at the top level.
 */
function makeStore(): Store {
  const store = new Store(':memory:')
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  for (const id of ['ann', 'bob', 'cat'])
    insertUser(store, { id, display_name: id, email: null, created_at: at })
  putMember(store, 'acme', 'ann', 'edit', at)
  putMember(store, 'acme', 'bob', null, at)
  const within = { organization_id: 'acme', title: 'C', position: 1, created_at: at }

  insertCollection(store, { ...within, id: 'outer', parent_id: null })
  insertCollection(store, { ...within, id: 'inner', parent_id: 'outer' })
  const space = { organization_id: 'acme', title: 'S', created_at: at, updated_at: at }

  insertSpace(store, { ...space, id: 'deep', collection_id: 'inner', default_level: null })
  insertSpace(store, { ...space, id: 'top' })

  return store
}

test('the levels of many targets come nearest first, with the grants of the user and their teams', () => {
  const store = makeStore()
  insertTeam(store, { id: 'team', organization_id: 'acme', title: 'Team', created_at: at })
  putTeamMember(store, 'team', 'ann')
  const give = (
    kind: 'space' | 'collection',
    id: string,
    who: 'user' | 'team',
    subject: string,
    role: 'read' | 'review' | null,
  ) =>
    putPermission(store, {
      target_kind: kind,
      target_id: id,
      subject_kind: who,
      subject_id: subject,
      role,
      created_at: at,
    })

  give('space', 'deep', 'user', 'ann', 'read')
  give('space', 'deep', 'user', 'bob', 'review')
  give('collection', 'outer', 'team', 'team', 'review')
  give('collection', 'outer', 'user', 'ann', null)

  const found = findStandings(store, 'acme', 'ann', 'space', ['deep', 'top', 'unknown'])

  assert.equal(found.get('deep'), {
    memberRole: 'edit',
    levels: [
      { defaultLevel: null, granted: ['read'] },
      { defaultLevel: 'inherit', granted: [] },
      { defaultLevel: 'inherit', granted: ['review', null] },
    ],
  })
  assert.equal(found.get('top')?.levels, [{ defaultLevel: 'inherit', granted: [] }])
  assert.equal(found.get('unknown')?.levels, [])
  const inner = findStandings(store, 'acme', 'ann', 'collection', ['inner']).get('inner')

  assert.equal(
    inner?.levels.map(level => level.granted),
    [[], ['review', null]],
  )
  store.close()
})

test('a guest has no organization role, and a stranger has no roles', () => {
  const store = makeStore()
  assert.is(findStandings(store, 'acme', 'bob', 'space', ['top']).get('top')?.memberRole, null)
  assert.is(findStandings(store, 'acme', 'cat', 'space', ['top']).get('top')?.memberRole, undefined)
  store.close()
})

test.run()
