import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { mendCounts } from '../../../src/actions/upkeep/verify-counts.ts'
import { findMiscounts } from '../../../src/store/discussions/comment-counts.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { type Bench, makeBench, type Scope } from './workbench.ts'

let app: App
let bench: Bench
test.before(async () => {
  app = await startApp()
  bench = await makeBench(app)
})
test.after(() => app.stop())

const clients = 8
/** Each turn of `crowd` comes up once. */
const rounds = 3

test('concurrent posts on one thread are all kept and counted', async () => {
  const people = Array.from({ length: clients }, (_, i) =>
    bench.space.user(`P${i}`, i % 2 ? 'comment' : 'review'),
  )
  for (const scope of bench.scopes) {
    const thread = await bench.post(app.admin, scope, 'Everybody')
    const path = `${scope.path}/${thread.id}`
    const kept = (await Promise.all(people.map((actor, i) => crowd(actor, i, scope, path)))).flat()
    const { body: shown } = await app.admin.get(path)
    const replies = await all(`${path}/replies`)

    assert.is(shown.replies, replies.length)
    assert.equal(
      replies.map(reply => reply.id).sort(),
      kept.flatMap(one => (one.kind === 'reply' ? one.id : [])).sort(),
    )
    const comments = await all(scope.path)
    const posted = kept.flatMap(one => (one.kind === 'comment' ? one.id : []))

    assert.equal(comments.map(one => one.id).sort(), [thread.id, ...posted].sort())
    assert.is(await bench.open(scope), comments.filter(one => one.status === 'open').length)
    assert.equal(
      shown.reactions.map((one: { emoji: string; count: number }) => [one.emoji, one.count]).sort(),
      [
        ['👀', clients],
        ['👍', clients],
      ],
    )
    assert.is(shown.repliers.length, clients)
  }

  assert.equal([...findMiscounts(app.ctx.store)].flat(), [])
  const made = bench.events().filter(event => event.action === 'comment.created').length

  assert.is(made, bench.scopes.length * (1 + clients * rounds))
})

type Kept = { kind: 'comment' | 'reply'; id: string }

/** Performs the actions of one user among many; returns what remains of them. */
async function crowd(actor: Actor, i: number, scope: Scope, path: string): Promise<Kept[]> {
  const kept: Kept[] = []
  for (let round = 0; round < rounds; round++) {
    const body = { body: { markdown: `${actor.id} ${round}` } }
    const [comment, reply] = await Promise.all([
      actor.post(scope.path, body),
      actor.post(`${path}/replies`, body),
    ])

    assert.equal([comment.status, reply.status], [200, 200], comment.text + reply.text)
    const own = `${scope.path}/${comment.body.id}`
    if (round % 3 === 0) assert.is((await actor.delete(own)).status, 204)
    else kept.push({ kind: 'comment', id: comment.body.id })
    if (round % 3 === 1) await actor.put(own, { resolved: true })
    if (round % 4 === 1)
      assert.is((await actor.delete(`${path}/replies/${reply.body.id}`)).status, 204)
    else kept.push({ kind: 'reply', id: reply.body.id })
    await actor.put(path, { addedReactions: ['👍', '👀'] })
    if (round < rounds - 1) await actor.put(path, { removedReactions: ['👍'] })

    const turned = await actor.put(path, { resolved: round % 2 === 0 })

    assert.is(turned.status, i % 2 ? 403 : 200)
  }

  return kept
}

type Item = { id: string; status: string }

async function all(path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = ''; ; ) {
    const { body } = await app.admin.get(`${path}?limit=100${page && `&page=${page}`}`)
    items.push(...body.items)
    if (!body.next) return items
    page = body.next.page
  }
}

test('verify reports a wrong count, and the nightly upkeep repairs it', async () => {
  const { ctx } = app
  assert.equal(await verify(ctx), [])
  ctx.store.run(sqlRows(sql.raw('update space set open_comments = open_comments + 1')))
  ctx.store.run(
    sqlRows(sql.raw("delete from commenter where user_id = 'p0' and change_request_id = ''")),
  )
  const problems = await verify(ctx)

  assert.equal(
    problems.map(problem => problem.space),
    [bench.space.id, bench.space.id],
  )

  assert.match(
    problems[0]!.what,
    /^The stored number of open comments of the space is \d+, but there are \d+\.$/,
  )
  assert.match(problems[1]!.what, /comments and replies of the user p0 is 0, but there are \d+\.$/)
  await mendCounts(ctx)
  assert.equal(await verify(ctx), [])
})

test.run()
