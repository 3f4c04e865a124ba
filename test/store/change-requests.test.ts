import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ChangeRequestFilter,
  changePlace,
  listChangeRequests,
  listChangeRequestsOfSpaces,
} from '../../src/store/discussions/list-change-requests.ts'
import { Store, sqlRows } from '../../src/store/store.ts'
import type { ChangeRequestRow } from '../../src/store/tables/rows.ts'

const spaces = 5_000
const requests = 100_000
const statuses = ['open', 'open', 'open', 'merged', 'draft', 'archived'] as const

const folder = mkdtempSync(join(tmpdir(), 'stemma-store-'))
const store = new Store(join(folder, 'stemma.db'))
test.after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const execute = (text: string) => store.run(sqlRows(sql.raw(text)))
const counted = (most: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})`
const names = statuses.map((status, i) => `when ${i} then '${status}'`).join(' ')

/** Request number i is in space i mod 5,000, by user i mod 40; user 3 reviews every 7th. */
test.before(() => {
  const at = "'2026-01-01T00:00:00.000Z'"
  store.transact(() => {
    execute(`insert into organization (id, title, created_at) values ('acme', 'Acme', ${at})`)
    execute(`insert into user (id, display_name, created_at)
      select 'u' || i, 'U', ${at} from (${counted(40)} select i from n)`)
    execute(`insert into space (id, organization_id, title, created_at, updated_at)
      select 's' || i, 'acme', 'S', ${at}, ${at} from (${counted(spaces)} select i from n)`)
    execute(`insert into change_request (id, space_id, number, status, created_by, created_at, updated_at, revision,
        revision_initial, conversations_issues_cluster)
      select 'r' || i, 's' || (i % ${spaces} + 1), i, case i / 3 % ${statuses.length} ${names} end,
        'u' || (i % 40 + 1), ${at}, printf('2026-02-01T00:%02d:00.000Z', i * 37 % 53), '', '', iif(i % 1000 = 0, 'c', null)
      from (${counted(requests)} select i from n)`)
    execute(`insert into requested_reviewer (space_id, change_request_id, user_id, requested_by, revision, created_at)
      select space_id, id, 'u3', 'u4', '', ${at} from change_request where seq % 7 = 0`)
    execute(`insert into review (id, space_id, change_request_id, reviewer_id, revision, status, created_at, updated_at)
      select 'v' || seq, space_id, id, 'u4', iif(seq % 3 = 0, 'old', ''), 'changes-requested', ${at}, ${at}
      from change_request where seq % 5 = 0`)
    execute(`insert into review (id, space_id, change_request_id, reviewer_id, revision, status, created_at, updated_at)
      select 'w' || seq, space_id, id, iif(seq % 2 = 0, 'u4', 'u6'), '', 'approved', ${at}, ${at}
      from change_request where seq % 5 = 0`)
    execute(`insert into change_request_contributor (change_request_id, user_id, count, updated_at)
      select id, 'u5', 1, ${at} from change_request where seq % 11 = 0`)
    execute(`insert into comment (id, space_id, change_request_id, revision, body, posted_by, posted_at)
      select 'm' || seq, space_id, id, '', '{}', 'u5', ${at} from change_request where seq % 1300 = 0`)
  })
})

type Wanted = { filter: ChangeRequestFilter; fits: (row: ChangeRequestRow) => boolean }

const wanted: Record<string, Wanted> = {
  status: { filter: { status: 'open' }, fits: () => true },
  'a rare status': { filter: { status: 'archived' }, fits: () => true },
  creator: { filter: { status: 'open', creator: 'u7' }, fits: row => row.created_by === 'u7' },
  'who is waited for': {
    filter: { status: 'open', waitingFor: 'u3' },
    fits: row => row.seq % 7 === 0,
  },
  'whose changes are asked for': {
    filter: { status: 'open', changesAskedOf: 'u6' },
    fits: row => row.created_by === 'u6' && row.seq % 5 === 0 && row.seq % 3 > 0 && row.seq % 2 > 0,
  },
  'whose reviewers approved later': {
    filter: { status: 'open', changesAskedOf: 'u11' },
    fits: () => false,
  },
  search: { filter: { status: 'open', search: '#7' }, fits: row => row.number === 7 },
  reviewer: { filter: { status: 'open', requestedReviewer: 'u3' }, fits: row => row.seq % 7 === 0 },
  contributor: {
    filter: { status: 'merged', contributor: 'u5' },
    fits: row => row.seq % 11 === 0 || row.seq % 1300 === 0,
  },
  cluster: {
    filter: { status: 'open', conversationsIssuesCluster: 'c' },
    fits: row => row.seq % 1000 === 0,
  },
  'all of them': {
    filter: {
      status: 'open',
      creator: 'u7',
      requestedReviewer: 'u3',
      contributor: 'u5',
    },
    fits: row => row.created_by === 'u7' && row.seq % 77 === 0,
  },
  nobody: { filter: { status: 'open', contributor: 'nobody' }, fits: () => false },
}

const everything = () =>
  store.all(sqlRows<ChangeRequestRow>(sql`select * from change_request order by seq desc`))

/** The ids of the `count` spaces that a user can see: every (5,000 / count)th. */
const seen = (count: number) =>
  Array.from({ length: count }, (_, i) => `s${Math.floor((i * spaces) / count) + 1}`)

test('every filter returns the matching requests, newest first, from any starting point', () => {
  const rows = everything()
  for (const count of [spaces, 100, 1]) {
    const ids = new Set(seen(count))
    for (const [name, { filter, fits }] of Object.entries(wanted)) {
      const picked = rows.filter(
        row => row.status === filter.status && ids.has(row.space_id) && fits(row),
      )
      for (const start of [0, 60, Math.floor(picked.length / 2)]) {
        const before = start === 0 ? undefined : picked[start - 1]?.seq
        const from = { after: before }
        const given = listChangeRequestsOfSpaces(store, [...ids], filter, 51, from)
        const expected = picked.slice(
          before === undefined ? 0 : start,
          (before === undefined ? 0 : start) + 51,
        )

        assert.equal(
          given.map(row => row.seq),
          expected.map(row => row.seq),
          `${name} of ${count} spaces from ${start}`,
        )
      }
    }
  }
})

test('the list of one space takes the same filters', () => {
  const rows = everything().filter(row => row.space_id === 's8')
  for (const [name, { filter, fits }] of Object.entries(wanted)) {
    const picked = rows
      .filter(row => row.status === filter.status && fits(row))
      .map(row => row.number)
    const given = listChangeRequests(store, 's8', filter, 3).map(row => row.number)
    assert.equal(given, picked.slice(0, 3), name)
    const from = { after: given.at(-1) }
    const rest = listChangeRequests(store, 's8', filter, 100, from).map(row => row.number)
    assert.equal([...given, ...rest], picked.length > 3 || given.length > 0 ? picked : rest, name)
  }
})

test('in the order of last changes, pages have every matching request once', () => {
  const rows = everything().sort(
    (one, other) =>
      Number(other.updated_at > one.updated_at) - Number(other.updated_at < one.updated_at) ||
      other.seq - one.seq,
  )
  const read = (ids: string[] | string, filter: ChangeRequestFilter) => {
    const found: ChangeRequestRow[] = []
    for (let page = 0; page < 4; page++) {
      const last = found.at(-1)
      const from = { order: 'updatedAt', after: last && changePlace(last) } as const
      found.push(
        ...(typeof ids === 'string'
          ? listChangeRequests(store, ids, filter, 7, from)
          : listChangeRequestsOfSpaces(store, ids, filter, 7, from)),
      )
    }
    return found.map(row => row.seq)
  }

  for (const [name, { filter, fits }] of Object.entries(wanted)) {
    const picked = rows.filter(row => row.status === filter.status && fits(row))
    for (const count of [spaces, 20, 1]) {
      const ids = new Set(seen(count))
      const expected = picked.filter(row => ids.has(row.space_id)).slice(0, 28)
      assert.equal(
        read([...ids], filter),
        expected.map(row => row.seq),
        `${name} of ${count} spaces`,
      )
    }

    const own = picked.filter(row => row.space_id === 's8').map(row => row.seq)
    assert.equal(read('s8', filter), own, name)
  }
})

test('no list scans all change requests', () => {
  const plans: string[] = []
  const watched = {
    all: (built: { compile: () => { sql: string; parameters: readonly unknown[] } }) => {
      const { sql: text, parameters } = built.compile()
      const parts = text.split('?')
      const explained = sql.join(
        parts.flatMap((part, i) =>
          i === 0 ? [sql.raw(part)] : [sql`${parameters[i - 1]}`, sql.raw(part)],
        ),
        sql``,
      )
      const rows = store.all(sqlRows<{ detail: string }>(sql`explain query plan ${explained}`))

      plans.push(rows.map(row => row.detail).join('\n'))

      return []
    },
  } as unknown as Store

  const starts = [{}, { order: 'updatedAt' }, { order: 'updatedAt', after: ['2026', 7] }] as const
  for (const { filter } of Object.values(wanted))
    for (const from of starts) {
      listChangeRequestsOfSpaces(watched, seen(100), filter, 51, from as never)
      listChangeRequests(watched, 's8', filter, 51, from as never)
    }

  assert.is(plans.length, Object.keys(wanted).length * 6)
  for (const plan of plans)
    assert.not.match(plan, /SCAN (?!json_each|part|newest|first|\(|CONSTANT|VALUES)/, plan)

  plans.length = 0
  listChangeRequests(watched, 's8', { status: 'open' }, 51, starts[2] as never)
  assert.match(
    plans[0] ?? '',
    /USING INDEX change_request_by_change \(space_id=\? AND status=\? AND/,
  )
  assert.not.match(plans[0] ?? '', /TEMP B-TREE/)
})

test.run()
