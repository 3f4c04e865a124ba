import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { type Bench, makeBench } from './workbench.ts'

let app: App
let bench: Bench
let cora: Actor
let carl: Actor
let rita: Actor
let reader: Actor
test.before(async () => {
  app = await startApp()
  bench = await makeBench(app)
  cora = bench.space.user('Cora', 'comment')
  carl = bench.space.user('Carl', 'comment')
  rita = bench.space.user('Rita', 'review')
  reader = bench.space.user('Rob', 'read')
})
test.after(() => app.stop())

type Reaction = {
  emoji: string
  count: number
  users: { user: { id: string }; reactedAt: string }[]
}
const told = (reactions: Reaction[]) =>
  reactions.map(({ emoji, users }) => [emoji, users.map(({ user }) => user.id)])

const actions = (from: number) =>
  bench
    .events()
    .slice(from)
    .map(event => event.action)

test('an edit without properties or effect changes nothing', async () => {
  for (const scope of bench.scopes) {
    const comment = await bench.post(cora, scope, 'As it is')
    const from = bench.events().length
    const path = `${scope.path}/${comment.id}`

    for (const body of [
      {},
      { resolved: false },
      { body: { markdown: 'As it is' } },
      { removedReactions: ['👍'] },
    ]) {
      const { status, body: after } = await cora.put(path, body)
      assert.is(status, 200)
      assert.equal(after, comment)
    }

    assert.equal(actions(from), [])
  }
})

test('only the author can edit a text', async () => {
  for (const scope of bench.scopes) {
    const comment = await bench.post(cora, scope, 'Frist')
    const path = `${scope.path}/${comment.id}`
    const body = { body: { markdown: 'First' } }
    for (const other of [carl, rita, app.admin, reader])
      assert.is((await other.put(path, body)).status, 403)
    const from = bench.events().length
    const after = (await cora.put(path, body)).body

    assert.equal(after.body, { markdown: 'First' })
    assert.ok(after.editedAt > after.postedAt)
    assert.equal(actions(from), ['comment.updated'])
    assert.is((await cora.put(`${scope.path}/nobody`, body)).status, 404)
    assert.is((await cora.put(path, { body: {} })).status, 400)
    assert.is((await cora.put(path, { text: 'x' })).status, 400)
    assert.is((await cora.put(`${path}/replies/nobody`, body)).status, 404)
  }
})

test('the author and reviewers can resolve; the first time counts', async () => {
  for (const scope of bench.scopes) {
    const before = await bench.open(scope)
    const comment = await bench.post(cora, scope, 'Fix this')
    const path = `${scope.path}/${comment.id}`
    assert.is(await bench.open(scope), before + 1)
    assert.is((await carl.put(path, { resolved: true })).status, 403)
    const from = bench.events().length
    const first = (await rita.put(path, { resolved: true })).body

    assert.is(first.status, 'resolved')
    assert.is(first.resolvedBy.id, 'rita')
    const second = (await cora.put(path, { resolved: true })).body

    assert.equal([second.resolvedAt, second.resolvedBy.id], [first.resolvedAt, 'rita'])
    assert.is(await bench.open(scope), before)
    const opened = (await cora.put(path, { resolved: false })).body

    assert.is(opened.status, 'open')
    assert.not('resolvedAt' in opened || 'resolvedBy' in opened)
    assert.is(await bench.open(scope), before + 1)
    assert.equal(actions(from), ['comment.resolved', 'comment.reopened'])
    await cora.put(path, { resolved: true })
    assert.is((await cora.delete(path)).status, 204)
    assert.is(await bench.open(scope), before)
  }
})

test('reactions count once per user and emoji, in the order of first use', async () => {
  for (const scope of bench.scopes) {
    const comment = await bench.post(cora, scope, 'Nice')
    const reply = (
      await cora.post(`${scope.path}/${comment.id}/replies`, { body: { markdown: 'Is it?' } })
    ).body
    for (const path of [
      `${scope.path}/${comment.id}`,
      `${scope.path}/${comment.id}/replies/${reply.id}`,
    ]) {
      assert.is((await reader.put(path, { addedReactions: ['👍'] })).status, 403)
      await carl.put(path, { addedReactions: ['🎉', '👍'] })
      await carl.put(path, { addedReactions: ['🎉', '🎉'] })
      await rita.put(path, { addedReactions: ['1F44D', ':tada:', '❤️', '2764'] })
      const { reactions } = (await cora.get(path)).body

      assert.equal(told(reactions), [
        ['🎉', ['carl']],
        ['👍', ['carl', 'rita']],
        [':tada:', ['rita']],
        ['❤️', ['rita']],
      ])

      assert.equal(
        reactions.map((reaction: Reaction) => reaction.count),
        [1, 2, 1, 1],
      )
      const after = (await carl.put(path, { removedReactions: ['🎉', ':tada:', 'x'] })).body

      assert.equal(told(after.reactions), [
        ['👍', ['carl', 'rita']],
        [':tada:', ['rita']],
        ['❤️', ['rita']],
      ])
      assert.not('editedAt' in after)
      for (const emoji of ['', ' ', 'a b', 'x'.repeat(51), 7])
        assert.is((await carl.put(path, { addedReactions: [emoji] })).status, 400)
      const both = await carl.put(path, { addedReactions: ['🎉'], removedReactions: ['1f389'] })

      assert.match(both.body.error.message, /"addedReactions" in the body: has an emoji that/)
      const many = Array.from({ length: 47 }, (_, i) => `e${i}`)

      assert.is((await carl.put(path, { addedReactions: many })).body.reactions.length, 50)
      assert.is((await carl.put(path, { addedReactions: ['one-more'] })).status, 409)
      assert.is((await cora.put(path, { addedReactions: ['e0'] })).status, 200)
      assert.is((await cora.get(path)).body.reactions.length, 50)
    }
  }
})

test('a partly refused edit changes nothing', async () => {
  for (const scope of bench.scopes) {
    const comment = await bench.post(cora, scope, 'Whole')
    const path = `${scope.path}/${comment.id}`
    const from = bench.events().length
    assert.is((await carl.put(path, { addedReactions: ['👍'], resolved: true })).status, 403)
    const many = Array.from({ length: 50 }, (_, i) => `e${i}`)

    assert.is((await carl.put(path, { addedReactions: many })).status, 200)
    const both = { body: { markdown: 'Changed' }, addedReactions: ['one-more'], resolved: true }

    assert.is((await cora.put(path, both)).status, 409)
    const after = (await cora.get(path)).body

    assert.equal([after.body.markdown, after.status, after.reactions.length], ['Whole', 'open', 50])
    assert.equal(actions(from), ['comment.updated'])
  }
})

test('replies, their authors and their deletion', async () => {
  for (const scope of bench.scopes) {
    const comment = await bench.post(cora, scope, 'Discuss')
    const path = `${scope.path}/${comment.id}/replies`
    const from = bench.events().length
    const say = async (by: Actor, markdown: string) =>
      (await by.post(path, { body: { markdown } })).body
    const first = await say(carl, 'one')
    const second = await say(rita, 'two')
    const third = await say(carl, 'three')

    assert.is(first.object, 'comment-reply')
    assert.equal(first.permissions, { view: true, edit: true, reply: true, delete: true })
    assert.equal((await carl.get(new URL(first.urls.location).pathname)).body, first)
    const { body: list } = await reader.get(`${path}?limit=2`)

    assert.equal(
      list.items.map((item: { id: string }) => item.id),
      [first.id, second.id],
    )
    const rest = (await reader.get(`${path}?limit=2&page=${list.next.page}`)).body

    assert.equal(
      rest.items.map((item: { id: string }) => item.id),
      [third.id],
    )
    const shown = (await cora.get(`${scope.path}/${comment.id}`)).body

    assert.is(shown.replies, 3)
    assert.equal(
      shown.repliers.map((one: { user: { id: string }; count: number; updatedAt: string }) => [
        one.user.id,
        one.count,
        one.updatedAt,
      ]),
      [
        ['carl', 2, third.postedAt],
        ['rita', 1, second.postedAt],
      ],
    )
    assert.is((await rita.put(`${path}/${first.id}`, { body: { markdown: 'uno' } })).status, 403)
    const edited = (await carl.put(`${path}/${first.id}`, { body: { markdown: 'uno' } })).body

    assert.equal(edited.body, { markdown: 'uno' })
    assert.ok(edited.editedAt)
    assert.is((await rita.delete(`${path}/${first.id}`)).status, 403)
    assert.is((await carl.delete(`${path}/${first.id}`)).status, 204)
    assert.is((await app.admin.delete(`${path}/${second.id}`)).status, 204)
    assert.is((await carl.delete(`${path}/${first.id}`)).status, 204)
    assert.is((await carl.get(`${path}/${first.id}`)).status, 404)
    const after = (await cora.get(`${scope.path}/${comment.id}`)).body

    assert.equal([after.replies, after.repliers.length], [1, 1])
    const said = [
      'reply.created',
      'reply.created',
      'reply.created',
      'reply.updated',
      'reply.deleted',
      'reply.deleted',
    ]

    assert.equal(actions(from), said)
    assert.is(bench.events().at(-1)!.details.reply, second.id)
    assert.is((await rita.delete(`${scope.path}/${comment.id}`)).status, 403)
    assert.is((await cora.delete(`${scope.path}/${comment.id}`)).status, 204)
    assert.is((await cora.delete(`${scope.path}/${comment.id}`)).status, 204)
    assert.is((await cora.get(path)).status, 404)
    assert.is((await cora.post(path, { body: { markdown: 'late' } })).status, 404)
  }
})

test('a reply in a change request can resolve its comment; in a space the field is refused', async () => {
  const [inSpace, inRequest] = bench.scopes as [Bench['scopes'][0], Bench['scopes'][0]]
  const comment = await bench.post(cora, inRequest, 'Really?')
  const path = `${inRequest.path}/${comment.id}/replies`
  const reply = (await carl.post(`${path}?format=document`, { body: { markdown: 'Yes' } })).body

  assert.is(reply.body.document.object, 'document')
  assert.is((await carl.put(`${path}/${reply.id}`, { resolved: true })).status, 403)
  assert.is(
    (await rita.put(`${path}/${reply.id}`, { resolved: true })).body.object,
    'comment-reply',
  )
  const after = (await cora.get(`${inRequest.path}/${comment.id}`)).body

  assert.equal([after.status, after.resolvedBy.id], ['resolved', 'rita'])
  const other = await bench.post(cora, inSpace, 'Really?')
  const answer = (
    await carl.post(`${inSpace.path}/${other.id}/replies`, { body: { markdown: 'Yes' } })
  ).body
  const refused = await rita.put(`${inSpace.path}/${other.id}/replies/${answer.id}`, {
    resolved: true,
  })

  assert.is(refused.status, 400)
})

test.run()
