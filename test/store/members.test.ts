import type { Compilable } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listLinkInvites } from '../../src/store/people/link-invites.ts'
import {
  type AfterMember,
  belongsAnywhere,
  countForMembers,
  deleteMember,
  hasOtherAdmin,
  listMembers,
  listTeamIds,
  listTeamsOfMember,
  type MemberList,
} from '../../src/store/people/members.ts'
import { listSpacesByAge } from '../../src/store/spaces/spaces-by-age.ts'
import { query, Store } from '../../src/store/store.ts'
import { planOf } from './plans/plan-of.ts'

/**
 * Returns what SQLite would sort or scan for the queries of `ask`. Scans of lists bound as
 * parameters do not count.
 */
function costlySteps(ask: (store: Store) => unknown): string[] {
  const store = new Store(':memory:')
  const steps: string[] = []
  const look = <Row>(run: (built: Compilable<Row>) => unknown) => {
    return (built: Compilable<Row>) => {
      for (const step of planOf(store, built))
        if (/^SCAN (?!\w+ VIRTUAL TABLE)|TEMP B-TREE FOR ORDER/.test(step))
          steps.push(`${step} in ${built.compile().sql}`)
      return run(built)
    }
  }

  const watched = {
    all: look(store.all.bind(store)),
    get: look(store.get.bind(store)),
    run: look(store.run.bind(store)),
  }

  ask(watched as unknown as Store)
  store.close()

  return steps
}

const after: AfterMember = ['2026-01-01T00:00:00.000Z', 'u']
const filters: Partial<MemberList>[] = [
  {},
  { role: 'admin' },
  { role: 'guest' },
  { search: 'a' },
  { search: 'é' },
]

for (const sort of ['joinedAt', 'lastSeenAt'] as const)
  for (const order of ['asc', 'desc'] as const)
    for (const filter of filters)
      test(`members by ${sort}, ${order}, ${JSON.stringify(filter)}: an index gives the order`, () => {
        const list = { ...filter, sort, order }
        assert.equal(
          costlySteps(store => [
            listMembers(store, 'o', list, 50),
            listMembers(store, 'o', list, 50, after),
          ]),
          [],
        )
      })

for (const [name, ask] of Object.entries<(store: Store) => unknown>({
  'another admin': store => hasOtherAdmin(store, 'o', 'u'),
  'a membership anywhere': store => belongsAnywhere(store, 'u'),
  'the removal of a member': store => deleteMember(store, 'o', 'u', 'now'),
  'invite links': store => listLinkInvites(store, 'o', 50, 3),
  'spaces, oldest first': store => listSpacesByAge(store, 'o', 'asc', 50, 3),
  'spaces, newest first': store => listSpacesByAge(store, 'o', 'desc', 50, 3),
}))
  test(`no table is sorted or scanned for ${name}`, () => assert.equal(costlySteps(ask), []))

test("a member's counts and teams are looked up from the member and need at most a small sort", () => {
  const steps = costlySteps(store => [
    countForMembers(store, 'o', ['a', 'b']),
    listTeamIds(store, 'o', 'u'),
    listTeamsOfMember(store, 'o', 'u', 't', 50, 3),
  ])
  assert.equal(
    steps.filter(step => step.startsWith('SCAN')),
    [],
  )
})

test('the check itself detects a scan and a sort', () => {
  const allMembers = query.selectFrom('member').selectAll()
  assert.is(costlySteps(store => store.all(allMembers.orderBy('sso'))).length, 2)
})

test.run()
