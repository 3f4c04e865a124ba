import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import { insertComment } from '../../../src/store/discussions/comments.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { query, sqlRows } from '../../../src/store/store.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { type Bench, makeBench } from './workbench.ts'

let app: App
let bench: Bench
let cora: Actor
let carl: Actor
test.before(async () => {
  app = await startApp()
  bench = await makeBench(app)
  cora = bench.space.user('Cora', 'comment')
  carl = bench.space.user('Carl', 'comment')
})
test.after(() => app.stop())

type Listed = { items: { id: string; body: { markdown: string } }[]; next?: { page: string } }
const texts = ({ items }: Listed) => items.map(item => item.body.markdown).join('')

/** Returns all pages of a list in order. */
async function walk(path: string, limit: number): Promise<string> {
  let found = ''
  for (let page = ''; ; ) {
    const { status, body, text } = await cora.get(
      `${path}&limit=${limit}${page && `&page=${page}`}`,
    )
    assert.is(status, 200, text)
    found += texts(body)
    if (!body.next) return found
    page = body.next.page
  }
}

test('filters combine, in both orders, page by page', async () => {
  const pageOf = async (slug: string) =>
    (await cora.get(`/v1/spaces/${bench.space.id}/content/path/${slug}`)).body.id as string
  const [a, b] = [await pageOf('a'), await pageOf('b')]
  for (const scope of bench.scopes) {
    const made: { text: string; by: string; page: string | undefined; status: string }[] = []
    for (const [i, text] of [...'abcdefghijklmnopqrstuvwx'].entries()) {
      const by = i % 3 === 0 ? carl : cora
      const page = [a, b, undefined][Math.floor(i / 2) % 3]
      const { id } = await bench.post(by, scope, text, { ...(page && { page }) })
      if (i % 5 === 0) await app.admin.put(`${scope.path}/${id}`, { resolved: true })
      made.push({ text, by: by.id, page, status: i % 5 === 0 ? 'resolved' : 'open' })
    }

    for (const status of ['open', 'resolved', undefined])
      for (const page of [a, 'gone', undefined])
        for (const authors of [[], ['cora'], ['nobody', 'carl', 'cora', 'carl']])
          for (const order of ['asc', undefined]) {
            const wanted = made
              .filter(one => !status || one.status === status)
              .filter(one => !page || one.page === page)
              .filter(one => authors.length === 0 || authors.includes(one.by))
              .map(one => one.text)
            if (order !== 'asc') wanted.reverse()
            const query = [
              ...(status ? [`status=${status}`] : []),
              ...(page ? [`targetPage=${page}`] : []),
              ...authors.map(id => `authors=${id}`),
              ...(order ? [`order=${order}`] : []),
            ].join('&')
            const path = `${scope.path}?${query}`

            assert.is(texts((await cora.get(path)).body), wanted.join(''), path)
            if (status || page === 'gone') continue
            assert.is(await walk(path, 5), wanted.join(''), path)
          }
  }
})

test('a cursor of one list is refused by another', async () => {
  const [inSpace, inRequest] = bench.scopes.map(scope => scope.path) as [string, string]
  const { page } = (await cora.get(`${inSpace}?limit=2`)).body.next
  assert.is((await cora.get(`${inSpace}?limit=3&page=${page}`)).status, 200)

  for (const path of [
    `${inRequest}?`,
    `${inSpace}?status=open&`,
    `${inSpace}?order=asc&`,
    `${inSpace}?authors=cora&`,
  ])
    assert.is((await cora.get(`${path}page=${page}`)).status, 400)

  for (const query of ['status=closed', 'order=up', 'format=html', 'targetPage=', 'limit=1001'])
    assert.is((await cora.get(`${inSpace}?${query}`)).status, 400, query)

  const many = Array.from({ length: 51 }, (_, i) => `authors=u${i}`).join('&')

  assert.is((await cora.get(`${inSpace}?${many}`)).status, 400)
})

test('both formats', async () => {
  const { path } = bench.scopes[0]!
  const { body } = await cora.get(`${path}?format=document&limit=3`)
  assert.equal(
    body.items.map((item: { body: { document: { object: string } } }) => item.body.document.object),
    ['document', 'document', 'document'],
  )
})

test('pages are shorter when texts are long, and nothing is left out', async () => {
  const { scopes } = await makeBench(app)
  const { path } = scopes[0]!
  const { id } = await bench.post(app.admin, scopes[0]!, 'first')
  const row = app.ctx.store.get(query.selectFrom('comment').selectAll().where('id', '=', id))!
  const body = { markdown: 'x'.repeat(1_500_000) }
  const { seq: _, replies: _replies, ...rest } = row

  for (const n of [1, 2, 3]) insertComment(app.ctx.store, { ...rest, id: `long${n}`, body })
  const pages: number[] = []

  for (let page: string | undefined = ''; page !== undefined; ) {
    const { body } = await app.admin.get(`${path}?limit=10${page && `&page=${page}`}`)
    pages.push(body.count)
    page = body.next?.page
  }

  assert.equal(pages, [2, 2])
})

test('commenters are members with comments or replies, each once', async () => {
  const { space, scopes } = await makeBench(app)
  const left = space.user('Left', 'comment')
  const dora = space.user('Dora', 'comment')

  for (const scope of scopes) {
    const comment = await bench.post(app.admin, scope, 'x')
    await bench.post(app.admin, scope, 'y')
    await bench.post(left, scope, 'z')
    const { body: reply } = await dora.post(`${scope.path}/${comment.id}/replies`, {
      body: { markdown: 'x' },
    })
    const path = `${scope.at}/commenters`
    const first = (await app.admin.get(`${path}?limit=2`)).body

    assert.equal(
      first.items.map((item: { id: string; object: string }) => [item.object, item.id]),
      [
        ['member', 'ada'],
        ['member', 'dora'],
      ],
    )
    assert.is((await app.admin.get(`${path}?page=${first.next.page}`)).body.items[0].id, 'left')
    await dora.delete(`${scope.path}/${comment.id}/replies/${reply.id}`)
    assert.is((await app.admin.get(path)).body.count, 2)
  }

  app.ctx.store.run(query.deleteFrom('member').where('user_id', '=', 'left'))
  for (const { at } of scopes) assert.is((await app.admin.get(`${at}/commenters`)).body.count, 1)
})

test('a transferred space keeps its discussion', async () => {
  const { space, scopes } = await makeBench(app)
  const carla = space.user('Carla', 'comment')
  for (const scope of scopes) await bench.post(carla, scope, 'Before')
  const at = '2026-01-01T00:00:00.000Z'

  insertOrganization(app.ctx.store, { id: 'globe', title: 'Globe', created_at: at })
  putMember(app.ctx.store, 'globe', app.admin.id, 'admin', at)
  const moved = await app.admin.post(`/v1/spaces/${space.id}/transfer`, { organization: 'globe' })

  assert.is(moved.status, 200, moved.text)

  for (const scope of scopes) {
    const { body } = await app.admin.get(scope.path)
    assert.is(body.items[0].postedBy.id, 'carla')
    assert.is((await app.admin.get(`${scope.at}/commenters`)).body.count, 0)
    assert.is(await bench.open(scope), 1)
    assert.is((await carla.get(scope.path)).status, 404)
  }
})

test('a comment with very many replies names the most recent authors', async () => {
  const [scope] = bench.scopes
  const { id } = await bench.post(cora, scope!, 'many')
  const { store } = app.ctx
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)`
  const time = sql`strftime('%Y-%m-%dT%H:%M:%fZ', 1000000000 + i, 'unixepoch')`

  store.transact(() => {
    store.run(
      sqlRows(
        sql`insert into "user" (id, display_name, created_at) ${numbers} select 'many-' || i, 'M', ${time} from n`,
      ),
    )
    store.run(
      sqlRows(sql`insert into comment_reply (id, comment_id, space_id, body, posted_by, posted_at) ${numbers}
        select 'many-' || i, ${id}, ${bench.space.id}, '{"markdown":"yes"}', 'many-' || i, ${time} from n`),
    )
  })
  const { body } = await cora.get(`${scope!.path}/${id}`)

  assert.is(body.replies, 1200)
  assert.is(body.repliers.length, 1000)
  assert.equal([body.repliers[0].user.id, body.repliers[999].user.id], ['many-1200', 'many-201'])
  await app.admin.delete(`${scope!.path}/${id}`)
})

test('a copy of a space has no comments; permanent removal deletes them', async () => {
  const { path, at } = bench.scopes[0]!
  assert.ok((await app.admin.get(at)).body.comments > 0)
  const copy = await app.admin.post(`${at}/duplicate`)
  assert.is(copy.status, 201)
  assert.is(copy.body.comments, 0)
  assert.is((await app.admin.get(`/v1/spaces/${copy.body.id}/comments`)).body.count, 0)
  assert.ok((await app.admin.get(path)).body.count > 0)
  await cora.post(`${path}/${(await cora.get(path)).body.items[0].id}/replies`, {
    body: { markdown: 'x' },
  })
  const due = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000).toISOString()

  app.ctx.store.run(
    query.updateTable('space').set({ deleted_at: due }).where('id', '=', bench.space.id),
  )
  await purgeSpace(
    app.ctx,
    { spaceId: bench.space.id },
    { signal: new AbortController().signal, attempt: 1 },
  )

  for (const table of ['comment', 'comment_reply', 'commenter'] as const) {
    const rows = app.ctx.store.all(query.selectFrom(table).select('space_id'))
    assert.not(
      rows.some(row => row.space_id === bench.space.id),
      table,
    )
  }
})

test.run()
