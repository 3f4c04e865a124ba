import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../src/lib/slices.ts'
import { listAuditEvents } from '../../../src/store/events/audit-events.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../change-requests/workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'review')
const reviewer = space.user('Rev', 'review')
const second = space.user('Sue', 'review')
const reader = space.user('Rea', 'edit')
test.after(() => app.stop())

/** A new change request with a file and the path of its reviews. */
async function open(subject = 'Clearer') {
  const { body } = await space.open(editor, subject, { 'page.md': `# ${subject}\n` })
  const one = `${space.path}/${body.id}`
  return {
    one,
    path: `${one}/reviews`,
    number: body.number as number,
    head: body.revision as string,
  }
}

const items = (reply: { body: { items: { id: string; outdated: boolean }[] } }) => reply.body.items

test('a review applies to the current revision and is outdated after a change', async () => {
  const { path, number, head, one } = await open()
  const made = await reviewer.post(path, { status: 'approved' })
  assert.is(made.status, 201)
  assert.is(made.body.object, 'change-request-review')
  assert.is(made.body.revision, head)
  assert.is(made.body.reviewer.id, reviewer.id)
  assert.is(made.body.status, 'approved')
  assert.is(made.body.outdated, false)
  assert.not('requestedBy' in made.body)
  assert.not('comment' in made.body)
  assert.is(made.headers.get('location'), made.body.urls.location)
  const location = made.body.urls.location.slice(app.url.length)

  assert.equal((await reader.get(location)).body, made.body)

  // A push is visible immediately.
  await space.commit({ 'page.md': '# Pushed\n' }, number)
  assert.is((await reader.get(location)).body.outdated, true)
  const again = await reviewer.post(path, { status: 'changes-requested' })

  assert.is(again.body.outdated, false)
  assert.equal(
    items(await reader.get(path)).map(each => [each.id, each.outdated]),
    [
      [again.body.id, false],
      [made.body.id, true],
    ],
  )

  assert.equal(
    items(await reader.get(`${path}?outdated=true`)).map(each => each.id),
    [made.body.id],
  )

  assert.equal(
    items(await reader.get(`${path}?outdated=false`)).map(each => each.id),
    [again.body.id],
  )

  // A review of the merged revision stays current.
  assert.is((await editor.post(`${one}/merge`)).body.result, 'merge')
  assert.equal(
    items(await reader.get(path)).map(each => each.outdated),
    [false, true],
  )
})

test('a review of another revision than the seen one is refused', async () => {
  const { path, number, head } = await open()
  const pushed = await space.commit({ 'page.md': '# Sneaked in\n' }, number)
  const refused = await reviewer.post(path, { status: 'approved', revision: head })
  assert.is(refused.status, 409)
  assert.is(refused.body.details.revision, pushed)
  assert.is(
    (await reviewer.post(path, { status: 'approved' }, { 'if-match': `"${head}"` })).status,
    412,
  )
  assert.is(items(await reader.get(path)).length, 0)
  assert.is((await reviewer.post(path, { status: 'approved', revision: pushed })).status, 201)
  assert.is(
    (await reviewer.post(path, { status: 'approved' }, { 'if-match': `"${pushed}"` })).status,
    201,
  )
  assert.is((await reviewer.post(path, { status: 'approved' }, { 'if-match': '*' })).status, 201)
})

test('a review can have a comment in the change request', async () => {
  const { path, one, number } = await open()
  const body = { status: 'changes-requested', comment: { markdown: 'Not **yet**.' } }
  const made = await reviewer.post(path, body)
  assert.is(made.status, 201)
  assert.equal(made.body.comment.body, body.comment)
  assert.is(made.body.comment.target.review, made.body.id)
  assert.is(made.body.comment.target.revision, made.body.revision)
  assert.is((await reader.get(one)).body.comments, 1)
  const comments = await reader.get(`${one}/comments`)

  assert.is(comments.body.items[0].id, made.body.comment.id)
  const asDocument = await reader.get(`${path}/${made.body.id}?format=document`)

  assert.is(asDocument.body.comment.body.document.object, 'document')
  assert.ok((await reader.get(`${path}?format=document`)).body.items[0].comment.body.document)
  assert.is((await reader.get(`${path}?format=html`)).status, 400)
  const people = (await reader.get(`${one}/contributors`)).body.items

  assert.equal(
    people.map((each: { user: { id: string }; actionType: string }) => [
      each.user.id,
      each.actionType,
    ]),
    [
      [reviewer.id, 'comment'],
      [app.admin.id, 'edit'],
    ],
  )
  const found = await reader.get(`${space.path}?contributor=${reviewer.id}`)

  assert.ok(found.body.items.some((each: { number: number }) => each.number === number))

  // The review stays when its comment is deleted.
  assert.is((await reviewer.delete(`${one}/comments/${made.body.comment.id}`)).status, 204)
  const after = await reader.get(`${path}/${made.body.id}`)

  assert.is(after.status, 200)
  assert.not('comment' in after.body)
})

test('a review shows that it was requested, and the reviewer stays requested', async () => {
  const { path, one } = await open()
  await editor.post(`${one}/requested-reviewers`, { users: [second.id] })
  const { body } = await second.post(path, { status: 'approved' })
  assert.is(body.requestedBy.id, editor.id)
  assert.is((await reader.get(`${one}/requested-reviewers`)).body.count, 1)
})

test('authors cannot approve their own change request, but can request changes', async () => {
  const { path } = await open()
  const refused = await editor.post(path, { status: 'approved' })
  assert.is(refused.status, 403)
  assert.match(refused.body.error.message, 'your own change request')
  assert.is((await editor.post(path, { status: 'changes-requested' })).status, 201)
})

test('a merged or archived change request accepts no reviews', async () => {
  const { path, one } = await open()
  await editor.patch(one, { status: 'archived' })
  assert.is((await reviewer.post(path, { status: 'approved' })).status, 409)
  await editor.patch(one, { status: 'open' })
  await editor.post(`${one}/merge`)
  assert.is((await reviewer.post(path, { status: 'approved' })).status, 409)
})

test('reviews are paged, newest first', async () => {
  const { path } = await open()
  const made: string[] = []
  for (const by of [reviewer, second, reviewer])
    made.unshift((await by.post(path, { status: 'approved' })).body.id)
  const first = await reader.get(`${path}?limit=2`)
  const rest = await reader.get(`${path}?limit=2&page=${first.body.next.page}`)

  assert.equal(
    [...items(first), ...items(rest)].map(each => each.id),
    made,
  )
  assert.not('next' in rest.body)
  assert.is((await reader.get(`${path}?outdated=true&page=${first.body.next.page}`)).status, 400)
})

test('invalid reviews are refused', async () => {
  const { path } = await open()
  for (const body of [
    {},
    { status: 'rejected' },
    { status: 'approved', comment: 'Fine' },
    { status: 'approved', comment: { markdown: '' } },
    { status: 'approved', surprise: true },
  ])
    assert.is((await reviewer.post(path, body)).status, 400, JSON.stringify(body))

  assert.is((await reader.get(`${path}?outdated=perhaps`)).status, 400)
  assert.is((await reader.get(`${path}/nothing`)).status, 404)
  const { path: elsewhere } = await open()
  const { body } = await reviewer.post(elsewhere, { status: 'approved' })

  assert.is((await reader.get(`${path}/${body.id}`)).status, 404)
})

test('callers without a role are refused', async () => {
  const { path } = await open()
  for (const [actor, get, post] of [
    [reader, 200, 403],
    [app.user('Sam', null), 404, 404],
    [app.anonymous, 401, 401],
  ] as const) {
    assert.is((await actor.get(path)).status, get)
    assert.is((await actor.post(path, { status: 'approved' })).status, post)
  }
})

test('the same Idempotency-Key creates one review and one event', async () => {
  const { path } = await open()
  const count = () =>
    atOnce(listAuditEvents(app.ctx.store, 'acme', {}, 1000)).filter(
      row => row.action === 'review.submitted',
    ).length
  const before = count()
  const headers = { 'idempotency-key': 'review-once' }
  const first = await reviewer.post(path, { status: 'approved' }, headers)
  const again = await reviewer.post(path, { status: 'approved' }, headers)

  assert.is(again.text, first.text)
  assert.is(again.headers.get('location'), first.headers.get('location'))
  assert.is(items(await reader.get(path)).length, 1)
  assert.is(count(), before + 1)
})

test('a review whose answer cannot be stored leaves no comment and no events', async () => {
  const { path, one } = await open()
  const execute = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))
  const send = () =>
    reviewer.post(
      path,
      { status: 'approved', comment: { markdown: 'Fine.' } },
      { 'idempotency-key': 'no-room' },
    )
  const events = () => atOnce(listAuditEvents(app.ctx.store, 'acme', {}, 1000)).length
  const before = events()

  execute(
    "create trigger full before insert on idempotency begin select raise(abort, 'no room'); end",
  )
  assert.is((await send()).status, 500)
  execute('drop trigger full')

  // The push is recorded all the same.
  assert.ok(events() - before <= 1)
  assert.is(items(await reader.get(path)).length, 0)
  assert.is((await reader.get(one)).body.comments, 0)
  assert.is((await send()).status, 201)
  assert.is((await send()).headers.get('idempotent-replayed'), 'true')
  assert.is(items(await reader.get(path)).length, 1)
  assert.is((await reader.get(one)).body.comments, 1)
})

test('concurrent reviews, pushes and merges only merge what was approved', async () => {
  const admin = app.admin
  const rules = [{ rule: 'require_all_reviews_approved' }]
  await admin.patch(`/v1/spaces/${space.id}`, { mergeRules: { type: 'rules', rules } })
  const people = Array.from({ length: 16 }, (_, i) => space.user(`P${i}`, 'review'))
  const { path, one } = await open()
  const edit = {
    changes: [{ operation: 'insert_page', title: 'Meanwhile', document: { markdown: 'x' } }],
  }
  let merged: string | undefined

  await Promise.all(
    people.map(async (person, i) => {
      for (let turn = 0; turn < 4 && merged === undefined; turn++) {
        const status = (i + turn) % 5 === 0 ? 'changes-requested' : 'approved'
        const review = await person.post(path, { status })
        assert.ok([201, 409].includes(review.status), review.text)

        if (i % 4 === 1) {
          const edited = await editor.post(`${one}/content`, edit)
          assert.ok([200, 409].includes(edited.status), edited.text)
        }

        const reply = await editor.post(`${one}/merge`)

        assert.ok([200, 409, 412].includes(reply.status), reply.text)
        if (reply.status === 200) merged = reply.body.revision
      }
    }),
  )

  if (merged === undefined) {
    for (const person of people) await person.post(path, { status: 'approved' })
    assert.is((await editor.post(`${one}/merge`)).status, 200)
  }

  await admin.patch(`/v1/spaces/${space.id}`, { mergeRules: { type: 'none' } })
  const { revision } = (await reader.get(one)).body
  const last = new Map<string, string>()

  for (const review of (
    await reader.get(`${path}?outdated=false&limit=1000`)
  ).body.items.reverse()) {
    assert.is(review.revision, revision)
    last.set(review.reviewer.id, review.status)
  }

  assert.ok(last.size > 0)
  assert.ok([...last.values()].every(status => status === 'approved'))
})

test('reviews of former reviewers stay, and they cannot submit new ones', async () => {
  const { path } = await open()
  const leaver = space.user('Lea', 'review')
  await leaver.post(path, { status: 'approved' })
  putPermission(app.ctx.store, {
    target_kind: 'space',
    target_id: space.id,
    subject_kind: 'user',
    subject_id: leaver.id,
    role: 'read',
    created_at: space.row.created_at,
  })
  assert.is((await leaver.post(path, { status: 'approved' })).status, 403)
  assert.is(items(await reader.get(path)).length, 1)
})

test.run()
