import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { atLeast, effectiveRole, roles, type Standing, strongest } from '../../src/access/roles.ts'
import type { Level, Role } from '../../src/store/tables/roles.ts'

type Granted = Standing['levels'][number]['granted']

const level = (defaultLevel: Level, ...granted: Granted) => ({ defaultLevel, granted })

/** The case, the facts about the user, and the resulting role. */
const table: [what: string, standing: Standing, expected: Role | null][] = [
  ['somebody outside the organization', stand(undefined, level('admin', 'admin')), null],
  ['a guest without a grant', stand(null, level('edit')), null],
  ['a guest with a grant on the space', stand(null, level('inherit', 'comment')), 'comment'],
  [
    'a guest with a grant on the collection',
    stand(null, level('inherit'), level(null, 'edit')),
    'edit',
  ],
  ...roles.map((role): [string, Standing, Role] => [
    `a member with the role ${role}, where content inherits`,
    stand(role, level('inherit'), level('inherit')),
    role,
  ]),
  ['a member by the level of the space', stand('read', level('edit'), level('review')), 'edit'],
  ['a level weaker than the role in the organization', stand('review', level('read')), 'read'],
  [
    'a member by the level of the collection',
    stand('read', level('inherit'), level('review')),
    'review',
  ],
  [
    'the nearest level that does not inherit',
    stand('read', level('inherit'), level('inherit'), level('edit'), level('read')),
    'edit',
  ],
  ['a level of null shuts members out', stand('edit', level(null), level('admin')), null],
  ['a grant counts before a level that shuts out', stand('read', level(null, 'review')), 'review'],
  ['a weaker grant counts before a stronger level', stand('read', level('edit', 'read')), 'read'],
  [
    'a grant on the collection counts before the level of the space',
    stand('read', level('edit'), level('inherit', 'comment')),
    'comment',
  ],
  [
    'a grant weaker than the role in the organization',
    stand('review', level('inherit', 'comment')),
    'comment',
  ],
  [
    'the strongest of the own grant and the team’s',
    stand('read', level('inherit', 'comment', 'review')),
    'review',
  ],
  [
    'a nearer grant overrides a farther one, upwards',
    stand('read', level('inherit', 'edit'), level('inherit', 'read')),
    'edit',
  ],
  [
    'a nearer grant overrides a farther one, downwards',
    stand('read', level('inherit', 'read'), level('inherit', 'admin')),
    'read',
  ],
  [
    'a grant of null overrides a farther one',
    stand('read', level('inherit', null), level('inherit', 'admin')),
    null,
  ],
  [
    'a grant of null takes away the role in the organization',
    stand('review', level('inherit', null)),
    null,
  ],
  ['a grant of null takes away a default level', stand('read', level('edit', null)), null],
  [
    'an admin of the organization, whatever else is granted',
    stand('admin', level(null, 'read')),
    'admin',
  ],
  ['a creator of the organization where a level shuts out', stand('create', level(null)), 'create'],
  [
    'a creator of the organization with a weaker grant',
    stand('create', level('inherit', null)),
    'create',
  ],
  [
    'a creator of the organization with an admin grant',
    stand('create', level('inherit', 'admin')),
    'admin',
  ],
]

function stand(memberRole: Role | null | undefined, ...levels: Standing['levels']): Standing {
  return { memberRole, levels }
}

for (const [what, standing, expected] of table) {
  test(`role: ${what}`, () => assert.is(effectiveRole(standing), expected))
}

test('a stronger role includes weaker ones, and no role allows nothing', () => {
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
