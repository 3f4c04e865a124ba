import type { Compilable } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findMiscounts } from '../../../src/store/discussions/comment-counts.ts'
import { findCreation } from '../../../src/store/find-creation.ts'
import { countForMembers } from '../../../src/store/people/members.ts'
import { Store } from '../../../src/store/store.ts'
import { planOf } from './plan-of.ts'

/** Returns how SQLite looks up rows of these tables for the queries of `ask`. */
function lookups(tables: RegExp, ask: (store: Store) => unknown): string[] {
  const store = new Store(':memory:')
  const found: string[] = []
  const explain = (built: Compilable) => {
    for (const step of planOf(store, built)) if (tables.test(step)) found.push(step)
  }
  ask({
    all: (built: Compilable) => {
      explain(built)
      return store.all(built)
    },
    get: (built: Compilable) => {
      explain(built)
      return store.get(built)
    },
  } as unknown as Store)
  store.close()

  return found
}

test('comment counts use an index instead of reading all comments of the space', () => {
  const found = lookups(/SEARCH (?:comment|comment_reply) USING COVERING/, store => [
    ...findMiscounts(store),
  ])
  assert.is(found.length, 5)
  for (const detail of found) assert.match(detail, /<expr>=\?|comment_id=\?/)
})

test('grants and teams of members are looked up by member', () => {
  const found = lookups(/ (?:permission|team_member|held) /, store =>
    countForMembers(store, 'acme', ['ada', 'bob']),
  )
  assert.is(found.length, 3)
  for (const detail of found)
    assert.match(detail, /\((?:user_id=\?|subject_kind=\? AND subject_id=\?)/)
})

test('what a user created within a day is counted in an index, in the order of time', () => {
  const since = '2026-01-01T00:00:00.000Z'
  const found = lookups(/./, store => {
    findCreation(store, 'change_request', 'ada', since, 500)
    findCreation(store, 'space', 'ada', since, 200)
  })
  assert.is(found.length, 2, found.join())
  for (const detail of found)
    assert.match(detail, /COVERING INDEX \w+ \(created_by=\? AND created_at>\?\)/)
})

test.run()
