import { equal } from 'node:assert/strict'
import fc from 'fast-check'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { zeroOid } from '../../src/lib/oid.ts'
import { insertChangeRequest } from '../../src/store/discussions/change-requests.ts'
import { findMiscounts, mendMiscount } from '../../src/store/discussions/comment-counts.ts'
import { deleteReply, insertReply } from '../../src/store/discussions/comment-replies.ts'
import {
  countPosted,
  deleteComment,
  findComment,
  findComments,
  insertComment,
  listCommenters,
  listComments,
  updateComment,
} from '../../src/store/discussions/comments.ts'
import { listCommentReactions, putReaction } from '../../src/store/discussions/reactions.ts'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { deleteSpace, findSpace, insertSpace } from '../../src/store/spaces/spaces.ts'
import { query, Store, sqlRows } from '../../src/store/store.ts'
import { runs } from '../support/long-run.ts'

const at = '2026-01-01T00:00:00.000Z'
const users = ['ann', 'bob', 'cid']

/** Two spaces, the first with two change requests: s1, s2, c1, c2. */
function makeStore(): Store {
  const store = new Store(':memory:')
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  for (const id of users) insertUser(store, { id, display_name: id, email: null, created_at: at })
  for (const id of ['s1', 's2'])
    insertSpace(store, { id, organization_id: 'acme', title: id, created_at: at, updated_at: at })

  for (const number of [1, 2])
    insertChangeRequest(store, {
      id: `c${number}`,
      space_id: 's1',
      number,
      status: 'open',
      subject: '',
      description: null,
      created_by: 'ann',
      created_at: at,
      updated_at: at,
      revision: zeroOid,
      revision_initial: zeroOid,
      revision_merged_ancestor: null,
      revision_merged: null,
      merged_by: null,
      merged_at: null,
      conversations_issues_cluster: null,
      branch: null,
    })

  return store
}

const scopes = [
  { spaceId: 's1', changeRequestId: null },
  { spaceId: 's1', changeRequestId: 'c1' },
  { spaceId: 's1', changeRequestId: 'c2' },
  { spaceId: 's2', changeRequestId: null },
]

const body = { markdown: 'x' }
const revision = zeroOid

/** A model of the comments, changed by the same steps as the store. */
type Model = Map<string, { scope: number; by: string; open: boolean; replies: Map<string, string> }>

const Step = fc.record({
  verb: fc.constantFrom(
    'comment',
    'comment',
    'reply',
    'reply',
    'react',
    'resolve',
    'open',
    'unreply',
    'remove',
    'space',
  ),
  who: fc.constantFrom(...users),
  scope: fc.nat(3),
  pick: fc.nat(1000),
})
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never

function take(store: Store, model: Model, { verb, who, scope, pick }: Step, n: number): void {
  const { spaceId, changeRequestId } = scopes[scope]!
  if (verb === 'space') {
    // Rare: deletes the whole space.
    if (pick > 30 || spaceId !== 's2') return
    deleteSpace(store, 's2')
    insertSpace(store, {
      id: 's2',
      organization_id: 'acme',
      title: 's2',
      created_at: at,
      updated_at: at,
    })
    for (const [id, comment] of model) if (comment.scope === 3) model.delete(id)

    return
  }

  const where = {
    space_id: spaceId,
    change_request_id: changeRequestId,
    body,
    posted_by: who,
    posted_at: at,
  }

  if (verb === 'comment') {
    insertComment(store, { id: `k${n}`, ...where, revision })
    model.set(`k${n}`, { scope, by: who, open: true, replies: new Map() })
    return
  }

  const id = [...model.keys()][pick % model.size]
  const comment = id === undefined ? undefined : model.get(id)
  if (!id || !comment) return

  const reply = [...comment.replies.keys()][pick % comment.replies.size]
  const own = scopes[comment.scope]!

  if (verb === 'reply') {
    insertReply(store, {
      id: `r${n}`,
      ...where,
      comment_id: id,
      space_id: own.spaceId,
      change_request_id: own.changeRequestId,
    })
    comment.replies.set(`r${n}`, who)
  } else if (verb === 'react') {
    putReaction(store, {
      comment_id: id,
      reply_id: reply ?? '',
      emoji: 'x',
      user_id: who,
      reacted_at: at,
    })
  } else if (verb === 'resolve' || verb === 'open') {
    const open = verb === 'open'
    const [resolved_at, resolved_by] = open ? [null, null] : [at, who]
    updateComment(store, id, { status: open ? 'open' : 'resolved', resolved_at, resolved_by })
    comment.open = open
  } else if (verb === 'unreply' && reply) {
    assert.is(deleteReply(store, reply), 1)
    comment.replies.delete(reply)
  } else if (verb === 'remove') {
    assert.is(deleteComment(store, id), 1)
    model.delete(id)
  }
}

function check(store: Store, model: Model): void {
  for (const [at, { spaceId, changeRequestId }] of scopes.entries()) {
    const here = [...model.values()].filter(comment => comment.scope === at)
    const held = changeRequestId
      ? store.get(query.selectFrom('change_request').selectAll().where('id', '=', changeRequestId))
      : findSpace(store, spaceId)
    equal(held?.open_comments, here.filter(comment => comment.open).length)
    const said = here.flatMap(comment => [comment.by, ...comment.replies.values()])
    const wanted = users.flatMap(user => {
      const count = said.filter(by => by === user).length
      return count > 0 ? [`${user} ${count}`] : []
    })

    const rows = store.all(
      query
        .selectFrom('commenter')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('change_request_id', '=', changeRequestId ?? ''),
    )

    equal(
      rows
        .map(row => `${row.user_id} ${row.count}`)
        .sort()
        .join(),
      wanted.join(),
    )
  }

  for (const [id, row] of findComments(store, [...model.keys()]))
    equal(row.replies, model.get(id)!.replies.size)
  const stray = store.get(
    sqlRows<{ count: number }>(sql`select count(*) as count from reaction
      where reply_id <> '' and reply_id not in (select id from comment_reply)`),
  )

  equal(stray!.count, 0)
  equal([...findMiscounts(store)].flat().length, 0)
}

test('after any sequence of steps, every stored number equals a count of the rows', () => {
  fc.assert(
    fc.property(fc.array(Step, { minLength: 1, maxLength: 60 }), steps => {
      const store = makeStore()
      try {
        const model: Model = new Map()
        for (const [n, step] of steps.entries()) take(store, model, step, n)
        check(store, model)
      } finally {
        store.close()
      }
    }),
    { numRuns: runs(150) },
  )
})

test('a wrong number is detected and repaired', () => {
  const store = makeStore()
  const model: Model = new Map()
  const steps = ['comment', 'comment', 'reply', 'reply', 'comment', 'reply'] as const
  for (const [n, verb] of steps.entries())
    for (const scope of [0, 1])
      take(store, model, { verb, who: users[n % 3]!, scope, pick: n }, n * 2 + scope)
  const spoil = (text: string) => store.run(sqlRows(sql.raw(text)))

  spoil("update space set open_comments = 7 where id = 's1'")
  spoil("update change_request set open_comments = 0 where id = 'c1'")
  spoil("update comment set replies = replies + 1 where id = 'k1'")
  spoil("update commenter set count = 9 where user_id = 'ann' and change_request_id = 'c1'")
  spoil("delete from commenter where user_id = 'bob' and change_request_id = ''")
  const found = [...findMiscounts(store)].flat()

  assert.equal(
    found.map(({ of, id, userId, held }) => [of, id, userId, held]),
    [
      ['space', 's1', '', 7],
      ['change_request', 'c1', '', 0],
      ['comment', 'k1', '', found[2]!.counted + 1],
      ['commenter', 'c1', 'ann', 9],
      ['commenter', '', 'bob', 0],
    ],
  )
  for (const miscount of found) mendMiscount(store, miscount)
  check(store, model)
  store.close()
})

test('every list of comments reads an index, from any starting point', () => {
  const store = makeStore()
  const plans: string[] = []
  const real = store.all.bind(store)
  store.all = ((built: Parameters<typeof real>[0]) => {
    const { sql: text, parameters } = built.compile()
    const rows = real(
      sqlRows<{ detail: string }>(
        sql`${sql.raw('explain query plan ')}${sql.join(
          text
            .split('?')
            .flatMap((piece, i) =>
              i === 0 ? [sql.raw(piece)] : [sql`${parameters[i - 1]}`, sql.raw(piece)],
            ),
          sql``,
        )}`,
      ),
    )

    plans.push(rows.map(row => row.detail).join('\n'))

    return []
  }) as typeof store.all

  for (const status of ['all', 'open'] as const)
    for (const page of [undefined, 'p'])
      for (const authors of [undefined, ['ann'], ['ann', 'bob']])
        for (const order of ['asc', 'desc'] as const)
          for (const after of [undefined, 50])
            listComments(store, scopes[1]!, { status, page, authors }, { order, limit: 51, after })

  listCommenters(store, 'c1')
  assert.is(plans.length, 49)

  for (const plan of plans) {
    assert.not.match(plan, /SCAN comment(?!er)/, plan)
    if (/commenter/.test(plan)) continue
    assert.match(plan, /USING COVERING INDEX comment_by/, plan)
    assert.not.match(plan, /TEMP B-TREE/, plan)
  }

  store.close()
})

test('comments are counted by author and by space; reactions are shown up to a thousand', () => {
  const store = makeStore()
  const make = (id: string, posted_by: string, posted_at: string) =>
    insertComment(store, {
      id,
      space_id: 's1',
      change_request_id: null,
      revision,
      body,
      posted_by,
      posted_at,
    })

  make('a', 'ann', '2026-01-01T00:00:00.000Z')
  make('b', 'ann', '2026-01-01T01:00:00.000Z')
  make('c', 'bob', '2026-01-01T02:00:00.000Z')
  const since = '2026-01-01T00:30:00.000Z'
  const [first, none] = ['2026-01-01T01:00:00.000Z', null]

  assert.equal(countPosted(store, { by: 'ann' }, since), { count: 1, first })
  assert.equal(countPosted(store, { in: 's1' }, since), { count: 2, first })
  assert.equal(countPosted(store, { in: 's2' }, since), { count: 0, first: none })
  assert.is(findComment(store, { spaceId: 's1', changeRequestId: 'c1' }, 'a'), undefined)
  store.transact(() => {
    for (let i = 0; i < 1100; i++) {
      insertUser(store, { id: `u${i}`, display_name: 'U', email: null, created_at: at })
      putReaction(store, {
        comment_id: 'a',
        reply_id: '',
        emoji: 'x',
        user_id: `u${i}`,
        reacted_at: at,
      })
    }
  })

  putReaction(store, {
    comment_id: 'a',
    reply_id: '',
    emoji: 'z',
    user_id: 'ann',
    reacted_at: '2027',
  })
  const shown = listCommentReactions(store, ['a', 'b'])

  assert.is(shown.length, 1001)
  assert.equal([shown[0]!.count, shown.at(-1)!.emoji, shown.at(-1)!.count], [1100, 'z', 1])
  const few = listCommentReactions(store, ['a', ...Array.from({ length: 999 }, (_, i) => `x${i}`)])

  assert.is(few.length, 51)
  store.close()
})

test.run()
