import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { atLeast, effectiveRole, roles, type Standing, strongest } from '../../src/access/roles.ts'
import type { Level, Role } from '../../src/store/tables.ts'

type Granted = Standing['levels'][number]['granted']

const level = (defaultLevel: Level, ...granted: Granted) => ({ defaultLevel, granted })

/** What it is, how the person stands, and the role that follows. */
const table: [what: string, standing: Standing, expected: Role | null][] = [
  ['nobody of the organization', stand(undefined, 'admin', level('admin', 'admin')), null],
  ['a guest without a grant', stand(null, 'admin', level('edit')), null],
  ['a guest with a grant on the space', stand(null, 'admin', level('inherit', 'comment')), 'comment'],
  [
    'a guest with a grant on the collection',
    stand(null, null, level('inherit'), level(null, 'edit')),
    'edit',
  ],
  ['a member by the default of the organization', stand('read', 'comment', level('inherit')), 'comment'],
  ['a member where the organization gives nothing', stand('edit', null, level('inherit')), null],
  ['a member by the level of the space', stand('read', 'read', level('edit'), level('review')), 'edit'],
  [
    'a member by the level of the collection',
    stand('read', 'read', level('inherit'), level('review')),
    'review',
  ],
  [
    'the nearest level that does not inherit',
    stand('read', 'admin', level('inherit'), level('inherit'), level('edit')),
    'edit',
  ],
  ['a level that says nothing shuts members out', stand('edit', 'admin', level(null), level('admin')), null],
  ['a grant is more than a level that shuts out', stand('read', 'read', level(null, 'review')), 'review'],
  [
    'the strongest of the own grant and the team’s',
    stand('read', null, level('inherit', 'comment', 'review')),
    'review',
  ],
  [
    'a nearer grant overrides a farther, upwards',
    stand('read', null, level('inherit', 'edit'), level('inherit', 'read')),
    'edit',
  ],
  [
    'a nearer grant overrides a farther, downwards',
    stand('read', null, level('inherit', 'read'), level('inherit', 'admin')),
    'read',
  ],
  [
    'a grant of nothing overrides a farther one',
    stand('read', null, level('inherit', null), level('inherit', 'admin')),
    null,
  ],
  [
    'a default stays where a grant of nothing stands',
    stand('read', 'comment', level('inherit', null)),
    'comment',
  ],
  ['an admin of the organization, whatever is said', stand('admin', null, level(null, 'read')), 'admin'],
  ['a creator of the organization', stand('create', null, level(null)), 'create'],
  ['a creator with an admin grant', stand('create', null, level('inherit', 'admin')), 'admin'],
  ['a reviewer of the organization is a member as others', stand('review', 'read', level('inherit')), 'read'],
  ['the top of an organization', stand('read', 'create'), 'create'],
]

function stand(
  memberRole: Role | null | undefined,
  organizationDefault: Role | null,
  ...levels: Standing['levels']
): Standing {
  return { memberRole, organizationDefault, levels }
}

for (const [what, standing, expected] of table) {
  test(`role: ${what}`, () => assert.is(effectiveRole(standing), expected))
}

test('a stronger role may what a weaker one may, and nobody may without one', () => {
  for (const [i, held] of roles.entries()) {
    for (const [j, needed] of roles.entries()) assert.is(atLeast(held, needed), i >= j)
    assert.not(atLeast(null, held))
    assert.not(atLeast(undefined, held))
  }
  assert.is(strongest([]), null)
  assert.is(strongest([null, undefined]), null)
  assert.is(strongest(['edit', null, 'create', 'read']), 'create')
})

test.run()
