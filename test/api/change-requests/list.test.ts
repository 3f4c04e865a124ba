import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateChangeRequest } from '../../../src/store/discussions/change-requests.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
const other = space.user('Olga', 'edit')
const reader = space.user('Rea', 'read')
test.after(() => app.stop())

const numbers = (reply: { body: { items: { number: number }[] } }) =>
  reply.body.items.map(item => item.number)

test('open ones are listed newest first, or those of another status', async () => {
  for (const [by, subject] of [
    [editor, 'One'],
    [other, 'Two'],
    [editor, ''],
    [editor, 'Four'],
    [editor, 'Five'],
  ] as const) {
    await by.post(space.path, { subject })
  }

  await editor.patch(`${space.path}/5`, { status: 'archived' })
  const open = await reader.get(space.path)
  assert.is(open.status, 200)
  assert.equal(numbers(open), [4, 2, 1])
  assert.is(open.body.count, 3)
  assert.not('next' in open.body)
  assert.equal(numbers(await reader.get(`${space.path}?status=draft`)), [3])
  assert.equal(numbers(await reader.get(`${space.path}?status=archived`)), [5])
  assert.equal(numbers(await reader.get(`${space.path}?status=merged`)), [])
  assert.is((await reader.get(`${space.path}?status=all`)).status, 400)
})

test('filters combine', async () => {
  assert.equal(numbers(await reader.get(`${space.path}?creator=${other.id}`)), [2])
  assert.equal(numbers(await reader.get(`${space.path}?creator=${other.id}&status=draft`)), [])
  assert.equal(numbers(await reader.get(`${space.path}?creator=nobody`)), [])
  assert.equal(numbers(await reader.get(`${space.path}?requestedReviewer=${editor.id}`)), [])
  assert.equal(numbers(await reader.get(`${space.path}?conversationsIssuesCluster=c1`)), [])
  await space.commit({ 'more.md': 'primary\n' })
  await other.post(`${space.path}/1/update`)
  assert.equal(numbers(await reader.get(`${space.path}?contributor=${other.id}`)), [1])
  assert.equal(numbers(await reader.get(`${space.path}?contributor=${editor.id}`)), [])
  await editor.post(`${space.path}/2/comments`, { body: { markdown: 'Why?' } })
  assert.equal(numbers(await reader.get(`${space.path}?contributor=${editor.id}`)), [2])
  await editor.post(`${space.path}/4/requested-reviewers`, { users: [other.id] })
  assert.equal(numbers(await reader.get(`${space.path}?requestedReviewer=${other.id}`)), [4])
  assert.equal(
    numbers(await reader.get(`${space.path}?requestedReviewer=${other.id}&creator=${other.id}`)),
    [],
  )
  const { id } = (await reader.get(`${space.path}/1`)).body

  updateChangeRequest(app.ctx.store, id, { conversations_issues_cluster: 'c1' })
  assert.equal(numbers(await reader.get(`${space.path}?conversationsIssuesCluster=c1`)), [1])
})

test('pages contain each change request once', async () => {
  const seen: number[] = []
  let next = ''
  for (;;) {
    const page = await reader.get(`${space.path}?limit=2${next}`)
    assert.is(page.status, 200)
    seen.push(...numbers(page))
    if (!page.body.next) break
    assert.is(page.body.count, 2)
    next = `&page=${encodeURIComponent(page.body.next.page)}`
  }

  assert.equal(seen, [4, 2, 1])
  const first = await reader.get(`${space.path}?limit=1`)
  const page = encodeURIComponent(first.body.next.page)

  assert.is((await reader.get(`${space.path}?limit=1&status=draft&page=${page}`)).status, 400)
  assert.is((await reader.get(`${space.path}?limit=1001`)).status, 400)
  assert.is((await reader.get(`${space.path}?sort=number`)).headers.get('stemma-ignored'), 'sort')
})

test('those that changed last come first, also from page to page', async () => {
  const space = await makeSpace(app)
  const author = space.user('Ann', 'edit')
  for (const subject of ['One', 'Two', 'Three', 'Four']) await author.post(space.path, { subject })
  // Times are apart from each other, whatever the clock says.
  const at = { 1: 3, 2: 1, 3: 4, 4: 3 }
  for (const [number, second] of Object.entries(at)) {
    const { id } = (await author.get(`${space.path}/${number}`)).body
    updateChangeRequest(app.ctx.store, id, { updated_at: `2099-01-01T00:00:0${second}.000Z` })
  }

  for (const [path, query] of [
    [space.path, 'orderBy=updatedAt'],
    [space.path, `orderBy=updatedAt&creator=${author.id}`],
    ['/v1/orgs/acme/change-requests', `orderBy=updatedAt&space=${space.id}`],
  ] as const) {
    assert.equal(numbers(await author.get(`${path}?${query}`)), [3, 4, 1, 2])
    const seen: number[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await author.get(`${path}?limit=1&${query}${next}`)
      seen.push(...numbers({ body }))
      next = body.next && `&page=${body.next.page}`
    }
    assert.equal(seen, [3, 4, 1, 2])
  }

  const { body } = await author.get(`${space.path}?limit=1&orderBy=updatedAt`)
  assert.equal(numbers(await author.get(`${space.path}?orderBy=createdAt`)), [4, 3, 2, 1])
  assert.is((await author.get(`${space.path}?page=${body.next.page}`)).status, 400)
  assert.is((await author.get(`${space.path}?orderBy=number`)).status, 400)
})

test('outdated marks change requests behind the primary content', async () => {
  await space.commit({ 'again.md': 'primary\n' })
  await editor.post(space.path, { subject: 'Fresh' })
  const flags = async () =>
    (await reader.get(space.path)).body.items.map((item: { number: number; outdated: boolean }) => [
      item.number,
      item.outdated,
    ])

  assert.equal(await flags(), [
    [6, false],
    [4, true],
    [2, true],
    [1, true],
  ])
  await editor.post(`${space.path}/2/update`)
  const after = await flags()

  assert.equal(after, [
    [6, false],
    [4, true],
    [2, false],
    [1, true],
  ])

  // A push is visible immediately.
  const pushed = await space.commit({ 'pushed.md': 'branch\n' }, 4)
  const items = (await reader.get(space.path)).body.items

  assert.is(items[1].revision, pushed)
  await space.commit({ 'last.md': 'primary\n' })
  assert.ok((await reader.get(`${space.path}/6`)).body.outdated)
})

test('callers without a role are refused', async () => {
  assert.is((await app.user('Stranger').get(space.path)).status, 404)
  assert.is((await app.anonymous.get(space.path)).status, 401)
  assert.is((await app.admin.get(space.path)).status, 200)
  assert.is((await reader.get(`${space.path}/99`)).status, 404)
  assert.is((await reader.get(`${space.path}/nothing`)).status, 404)
  assert.is((await app.anonymous.get(`${space.path}/1`)).status, 401)
})

test('lists are searched by subject and number, and by who is waited for', async () => {
  const other = await makeSpace(app)
  const author = other.user('Anna', 'edit')
  const reviewer = other.user('Rev', 'review')
  for (const subject of ['Über uns', 'Install', '12 tips'])
    await author.post(other.path, { subject })
  const found = async (query: string, path = other.path) =>
    numbers(await author.get(`${path}?${query}`))

  assert.equal(await found(`search=${encodeURIComponent('ÜBER')}`), [1])
  assert.equal(await found('search=i'), [3, 2])
  assert.equal(await found('search=%232'), [2])
  assert.equal(await found('search=2'), [3, 2])
  assert.equal(await found('search='), [3, 2, 1])
  assert.equal(await found(`search=${encodeURIComponent('100%')}`), [])
  assert.equal(await found('search=install', '/v1/orgs/acme/change-requests'), [2])
  assert.is((await author.get(`${other.path}?search=${'x'.repeat(201)}`)).status, 400)

  const waiting = `waitingFor=${reviewer.id}`
  await author.post(`${other.path}/2/requested-reviewers`, { users: [reviewer.id] })
  assert.equal(await found(waiting), [2])
  assert.equal(await found(waiting, '/v1/orgs/acme/change-requests'), [2])
  assert.equal(await found(`${waiting}&search=tips`), [])
  assert.equal(await found(`waitingFor=${author.id}`), [])
  const { status } = await reviewer.post(`${other.path}/2/reviews`, { status: 'changes-requested' })
  assert.is(status, 201)
  assert.equal(await found(waiting), [])

  // Another commit makes the review outdated.
  await author.post(`${other.path}/2/content`, {
    changes: [{ operation: 'insert_page', title: 'More', document: {} }],
  })
  assert.equal(await found(waiting), [2])
})

test.run()
