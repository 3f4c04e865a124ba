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

/** What SQLite would sort, or walk through from end to end, for the queries of `ask`: tables, not lists that were sent. */
function laborsOf(ask: (store: Store) => unknown): string[] {
  const store = new Store(':memory:')
  const labors: string[] = []
  const look = <Row>(run: (built: Compilable<Row>) => unknown) => {
    return (built: Compilable<Row>) => {
      const compiled = built.compile()
      const explained = { ...compiled, sql: `explain query plan ${compiled.sql}` }
      const plan = all({ compile: () => explained } as Compilable<{ detail: string }>)
      for (const { detail } of plan)
        if (/^SCAN (?!\w+ VIRTUAL TABLE)|TEMP B-TREE FOR ORDER/.test(detail))
          labors.push(`${detail} in ${compiled.sql}`)
      return run(built)
    }
  }
  const all = store.all.bind(store)
  const watched = { all: look(all), get: look(store.get.bind(store)), run: look(store.run.bind(store)) }
  ask(watched as unknown as Store)
  store.close()
  return labors
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
      test(`members by ${sort}, ${order}, ${JSON.stringify(filter)}: an index gives them in order`, () => {
        const list = { ...filter, sort, order }
        assert.equal(
          laborsOf(store => [listMembers(store, 'o', list, 50), listMembers(store, 'o', list, 50, after)]),
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
  test(`no table is sorted or walked through for ${name}`, () => assert.equal(laborsOf(ask), []))

test('what a member has is looked up from the member: a sort of a few is all that is left', () => {
  const labors = laborsOf(store => [
    countForMembers(store, 'o', ['a', 'b']),
    listTeamIds(store, 'o', 'u'),
    listTeamsOfMember(store, 'o', 'u', 't', 50, 3),
  ])
  assert.equal(
    labors.filter(labor => labor.startsWith('SCAN')),
    [],
  )
})

test('a walk and a sort would be seen', () => {
  const everybody = query.selectFrom('member').selectAll()
  assert.is(laborsOf(store => store.all(everybody.orderBy('sso'))).length, 2)
})

test.run()
