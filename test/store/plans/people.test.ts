import type { Compilable } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listGiven } from '../../../src/store/people/permissions.ts'
import { findFooting, findStandings } from '../../../src/store/people/roles-of-user.ts'
import { listHolders } from '../../../src/store/people/roles-on-space.ts'
import {
  countForTeams,
  findNamedMembers,
  findTeamRoles,
  findTeams,
  listTeamMembers,
  listTeams,
} from '../../../src/store/people/teams.ts'
import { listSpaces } from '../../../src/store/spaces/spaces.ts'
import { query, Store } from '../../../src/store/store.ts'
import { planOf } from './plan-of.ts'

/**
 * Returns the tables that SQLite would scan for the queries of `ask`. Scans of lists bound as
 * parameters do not count.
 */
function scannedBy(ask: (store: Store) => unknown): string[] {
  const store = new Store(':memory:')
  const scanned: string[] = []
  const look = (built: Compilable) => {
    for (const step of planOf(store, built))
      if (
        /^SCAN (?:permission|member|user|team|team_member|space|collection|organization)\b/.test(
          step,
        )
      )
        scanned.push(`${step} in ${built.compile().sql}`)
  }

  const watched = {
    all: (built: Compilable) => {
      look(built)
      return store.all(built)
    },
    get: (built: Compilable) => {
      look(built)
      // A member of an organization, so that no query is skipped.
      return store.get(built) ?? { role: null }
    },
  } as unknown as Store

  ask(watched)
  store.close()

  return scanned
}

const team = { id: 't', organization_id: 'o' }
const target = { organizationId: 'o', kind: 'space', id: 's' } as const

for (const [name, ask] of Object.entries<(store: Store) => unknown>({
  'the role on some spaces': store => findStandings(store, 'o', 'u', 'space', ['a', 'b']),
  'the roles on everything': store => findFooting(store, 'o', 'u'),
  'spaces of an organization': store => listSpaces(store, { organizationId: 'o' }, 50, [3, 4]),
  'spaces of a collection': store => listSpaces(store, { collectionId: 'c' }, 50, [3, 4]),
  'spaces among candidates': store =>
    listSpaces(store, { organizationId: 'o' }, 50, [3, 4], {
      spaces: ['a'],
      collections: ['b'],
    }),
  'what users were given': store => listGiven(store, { kind: 'space', id: 's' }, 'user', 50, 'u'),
  'who may do what': store => listHolders(store, target, 'edit', 50, ['2026', 'u']),
  teams: store => listTeams(store, 'o', { owner: 'u', title: 't' }, 50, 3),
  'teams by id': store => findTeams(store, 'o', ['a', 'b']),
  'the numbers of teams': store => countForTeams(store, ['a', 'b']),
  'members of a team': store => listTeamMembers(store, team, 50, 'u'),
  'roles in a team': store => findTeamRoles(store, 't', ['a', 'b']),
  'members by name': store => findNamedMembers(store, 'o', ['a', 'b@example.org']),
}))
  test(`no table is scanned for ${name}`, () => assert.equal(scannedBy(ask), []))

test('the check itself detects a table scan', () => {
  assert.is(scannedBy(store => store.all(query.selectFrom('member').selectAll())).length, 1)
})

test.run()
