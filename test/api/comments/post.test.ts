import { equal } from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query } from '../../../src/store/store.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'
import { paragraph } from '../change-requests/workbench.ts'
import { type Bench, makeBench } from './workbench.ts'

let app: App
let bench: Bench
let cora: Actor
let ed: Actor
let reader: Actor
test.before(async () => {
  app = await startApp()
  bench = await makeBench(app)
  cora = bench.space.user('Cora', 'comment')
  ed = bench.space.user('Ed', 'edit')
  reader = bench.space.user('Rob', 'read')
})
test.after(() => app.stop())

test('a comment in a space and in a change request', async () => {
  const page = (await reader.get(`/v1/spaces/${bench.space.id}/content/path/a`)).body.id
  for (const scope of bench.scopes) {
    const inRequest = scope.name === 'change request'
    const { status, body, text } = await cora.post(scope.path, {
      body: { markdown: 'Why *this*?\n' },
      page,
      node: 'n1',
      tableCell: { record: 'r', definition: 'd' },
    })

    assert.is(status, 200, text)
    assert.is(body.object, 'comment')
    assert.is(body.postedBy.id, 'cora')
    assert.equal(body.body, { markdown: 'Why *this*?\n' })
    assert.equal(body.target, {
      node: { id: 'n1' },
      tableCell: { record: 'r', definition: 'd' },
      ...(inRequest && { changeRequest: bench.changeRequest.id }),
      page: { id: page },
      space: bench.space.id,
      revision: await bench.space.head(inRequest ? 1 : undefined),
    })
    assert.is(body.status, 'open')
    assert.equal([body.reactions, body.replies, body.repliers], [[], 0, []])
    assert.equal(body.permissions, { view: true, edit: true, reply: true, delete: true })
    assert.equal((await cora.get(new URL(body.urls.location).pathname)).body, body)
    const seen = async (by: Actor) => (await by.get(`${scope.path}/${body.id}`)).body.permissions

    assert.equal(await seen(reader), { view: true, edit: false, reply: false, delete: false })
    assert.equal(await seen(ed), { view: true, edit: false, reply: true, delete: false })
    assert.equal(await seen(app.admin), { view: true, edit: false, reply: true, delete: true })
    assert.is(await bench.open(scope), 1)
    const { action, target_id, details } = bench.events().at(-1)!

    assert.equal([action, target_id], ['comment.created', body.id])
    assert.equal(details, { ...(inRequest && { changeRequest: bench.changeRequest.id }), page })
    assert.not.match(JSON.stringify(bench.events()), 'Why')
  }
})

test('scopes do not share comments', async () => {
  const [inSpace, inRequest] = bench.scopes as [Bench['scopes'][0], Bench['scopes'][0]]
  const comment = await bench.post(cora, inSpace, 'Here')
  for (const path of ['', '/replies', '/replies/x'])
    assert.is((await cora.get(`${inRequest.path}/${comment.id}${path}`)).status, 404)
  assert.is((await cora.delete(`${inRequest.path}/${comment.id}`)).status, 204)
  assert.is((await cora.get(`${inSpace.path}/${comment.id}`)).status, 200)
})

test('the roles that can post', async () => {
  const stranger = app.user('Stan')
  for (const { path } of bench.scopes) {
    const body = { body: { markdown: 'No' } }
    const comment = (await cora.post(path, { body: { markdown: 'Yes' } })).body
    for (const [actor, status] of [
      [app.anonymous, 401],
      [stranger, 404],
      [reader, 403],
    ] as const) {
      assert.is((await actor.post(path, body)).status, status)
      assert.is((await actor.post(`${path}/${comment.id}/replies`, body)).status, status)
      assert.is(
        (await actor.put(`${path}/${comment.id}`, { addedReactions: ['👍'] })).status,
        status,
      )
      assert.is((await actor.delete(`${path}/${comment.id}`)).status, status)
      assert.is((await actor.get(path)).status, status === 403 ? 200 : status)
      assert.is((await actor.get(`${path}/${comment.id}`)).status, status === 403 ? 200 : status)
    }

    assert.is((await cora.post(`${path}/nobody/replies`, body)).status, 404)
  }

  assert.is(
    (await cora.post(`${bench.space.path}/999/comments`, { body: { markdown: 'x' } })).status,
    404,
  )
})

test('a body is either a text or a document', async () => {
  const [{ path }] = bench.scopes as [Bench['scopes'][0]]
  const document = paragraph('As a document')
  const made = await cora.post(path, { body: { document } })
  assert.is(made.status, 200, made.text)
  assert.is(made.body.body.markdown.trim(), 'As a document')
  const asSent = await cora.get(`${path}/${made.body.id}?format=document`)

  assert.equal(asSent.body.body, { document })
  const text = await cora.post(path, { body: { markdown: 'x'.repeat(20_000) } })

  assert.is(text.status, 200)
  const converted = await cora.get(`${path}/${text.body.id}?format=document`)

  assert.is(converted.body.body.document.object, 'document')
  const rich =
    '# Title\n\n* one\n* **two**\n\n> quoted\n\n```ts\nlet a = 1\n```\n\n[a link](https://example.org)\n'
  const kinds = await cora.post(path, { body: { markdown: rich } })
  const { document: shown } = (await cora.get(`${path}/${kinds.body.id}?format=document`)).body.body
  const back = await cora.post(path, { body: { document: shown } })

  assert.is(back.status, 200, back.text)
  assert.equal(
    (await cora.get(`${path}/${back.body.id}?format=document`)).body.body.document,
    shown,
  )
  assert.match(back.body.body.markdown, /\*\*two\*\*/)
  const refused = async (body: unknown, message: RegExp) => {
    const { status, body: answer } = await cora.post(path, body)
    assert.is(status, 400)
    assert.match(answer.error.message, message)
  }

  await refused({}, /"body"/)
  await refused({ body: {} }, /"body" in the body: takes \{"markdown": "\.\.\."\} or/)
  await refused({ body: { markdown: 'x', document } }, /"body"/)
  await refused(
    { body: { markdown: ' \n' } },
    /"body.markdown" in the body: takes a text that is not empty/,
  )
  await refused({ body: { markdown: 'x'.repeat(20_001) } }, /up to 20000 characters/)
  await refused(
    { body: { document: { object: 'document', data: {}, nodes: [] } } },
    /at least one node/,
  )

  await refused(
    {
      body: { document: { object: 'document', data: {}, nodes: [{ object: 'block', type: 'x' }] } },
    },
    /"body.document.nodes.0.type"/,
  )
  await refused({ body: { document: paragraph('x'.repeat(100_000)) } }, /up to 100000 characters/)
  await refused(
    { body: { markdown: 'x' }, page: 'gone' },
    /"page" in the body: takes the id of a page/,
  )
  await refused({ body: { markdown: 'x' }, surprise: 1 }, /surprise/)
})

test('a text is returned byte for byte', async () => {
  const [{ path }] = bench.scopes as [Bench['scopes'][0]]
  const text = anyText({ minLength: 1, maxLength: 200 }).filter(
    text => text.trim() !== '' && !text.includes('\0'),
  )
  await fc.assert(
    fc.asyncProperty(text, async markdown => {
      const { body } = await cora.post(path, { body: { markdown } })
      equal(body.body.markdown, markdown)
      equal((await cora.get(`${path}/${body.id}`)).body.body.markdown, markdown)
      equal((await cora.get(`${path}/${body.id}?format=document`)).status, 200)
    }),
    { numRuns: runs(60) },
  )
})

test('the same Idempotency-Key posts one comment', async () => {
  for (const { path } of bench.scopes) {
    const send = () =>
      cora.post(path, { body: { markdown: 'Once' } }, { 'idempotency-key': `once-${path.length}` })
    const first = await send()
    const count = (await cora.get(`${path}?limit=1000`)).body.count
    const again = await send()
    assert.is(again.text, first.text)
    assert.is((await cora.get(`${path}?limit=1000`)).body.count, count)
  }
})

test('a discussion continues after the merge', async () => {
  const made = (await bench.space.open(ed, 'Soon merged', { 'a.md': '# A\n\nNew.\n' })).body
  const path = `${bench.space.path}/${made.number}`
  assert.is((await ed.post(`${path}/merge`)).body.result, 'merge')
  const { status, body } = await cora.post(`${path}/comments`, { body: { markdown: 'Thanks' } })

  assert.is(status, 200)
  assert.is(body.target.revision, made.revision)
  assert.is((await cora.get(path)).body.comments, 1)
  const archived = (await bench.space.open(ed, 'Never')).body

  await ed.patch(`${bench.space.path}/${archived.id}`, { status: 'archived' })
  const late = await cora.post(`${bench.space.path}/${archived.id}/comments`, {
    body: { markdown: 'Sad' },
  })

  assert.is(late.status, 200)
})

test('a page that is deleted keeps its comments', async () => {
  const [scope] = bench.scopes as [Bench['scopes'][0]]
  const page = (await reader.get(`/v1/spaces/${bench.space.id}/content/path/b`)).body.id
  const comment = await bench.post(cora, scope, 'On B', { page })
  await bench.space.commit({
    'b.md': null,
    'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n',
  })
  assert.is((await cora.post(scope.path, { body: { markdown: 'x' }, page })).status, 400)
  const { body } = await cora.get(`${scope.path}?targetPage=${page}`)

  assert.equal(
    body.items.map((item: { id: string }) => item.id),
    [comment.id],
  )
})

test('posts above the hourly limit are refused', async () => {
  const strict = await startApp({ STEMMA_MAX_COMMENTS_PER_HOUR: '2' })
  try {
    const { scopes, space } = await makeBench(strict)
    const path = scopes[0]!.path
    const post = (by: Actor) => by.post(path, { body: { markdown: 'x' } })
    const comment = (await post(strict.admin)).body

    assert.is(
      (await strict.admin.post(`${path}/${comment.id}/replies`, { body: { markdown: 'x' } }))
        .status,
      200,
    )
    const third = await post(strict.admin)

    assert.is(third.status, 429)
    assert.match(third.body.error.message, /You have posted 2 .* Try again in 60 minutes/)
    assert.is((await strict.admin.put(`${path}/${comment.id}`, { resolved: true })).status, 200)
    const writers = [...'abcdefghi'].map(name => space.user(name, 'comment'))

    for (const by of writers) for (const _ of [1, 2]) assert.is((await post(by)).status, 200)
    const full = await post(space.user('j', 'comment'))

    assert.is(full.status, 429)
    assert.match(full.body.error.message, /This space has received 20 comments and replies/)
  } finally {
    await strict.stop()
  }
})

test('a post is refused when the role is lost or the space deleted meanwhile', async () => {
  const { space, scopes } = await makeBench(app)
  const gone = space.user('Gone', 'comment')
  const comment = await bench.post(gone, scopes[0]!, 'x')
  app.ctx.store.run(query.deleteFrom('permission').where('subject_id', '=', 'gone'))
  app.ctx.store.run(
    query.updateTable('space').set({ default_level: null }).where('id', '=', space.id),
  )

  for (const reply of [
    await gone.get(`${scopes[0]!.path}/${comment.id}`),
    await gone.put(`${scopes[0]!.path}/${comment.id}`, { body: { markdown: 'y' } }),
    await gone.delete(`${scopes[0]!.path}/${comment.id}`),
  ])
    assert.is(reply.status, 404)

  assert.is((await app.admin.delete(`/v1/spaces/${space.id}`)).status, 204)
  assert.is((await app.admin.get(scopes[0]!.path)).status, 404)
  assert.is((await app.admin.post(scopes[1]!.path, { body: { markdown: 'x' } })).status, 404)
})

test.run()
