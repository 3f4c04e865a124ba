import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'

const app = await startApp()
const reader = app.user('Rita', 'read')
const stranger = app.user('Sam')
const { api, repo } = await makeSpace(app, {
  'README.md': '# One\n',
  'a.md': '# A\n\nA long enough text.\n',
})
const at = 1_700_000_000
await commitFiles(
  repo,
  { 'a.md': '# A\n\nA long enough text, edited.\n' },
  { at: at + 1, message: 'Edit a' },
)
await commitFiles(repo, { 'README.md': '# Two\n' }, { at: at + 2, message: 'Edit the first page' })
await commitFiles(
  repo,
  { 'a.md': null, 'b/c.md': '# A\n\nA long enough text, edited.\n' },
  { at: at + 3, message: 'Move a\n\nBecause.' },
)
await commitFiles(repo, { 'b/c.md': '# A\n\nShort.\n' }, { at: at + 4, message: 'Edit c' })

test.after(() => app.stop())

type Item = {
  id: string
  message: string
  path?: string
  parents: string[]
  type: string
  author: object
}
const all = async (query = '', limit = 2): Promise<Item[]> => {
  const items: Item[] = []
  let next = `${query}${query ? '&' : ''}`
  for (let pages = 0; pages < 10; pages++) {
    const { status, body } = await reader.get(`${api}/revisions?${next}limit=${limit}`)
    assert.is(status, 200)
    items.push(...body.items)
    if (!body.next) break
    next = `page=${body.next.page}&`
  }

  return items
}
const messages = (items: Item[]) => items.map(item => item.message)

test('readers can list published revisions, newest first', async () => {
  assert.is((await stranger.get(`${api}/revisions`)).status, 404)
  assert.is((await app.anonymous.get(`${api}/revisions`)).status, 401)
  const items = await all()
  assert.equal(messages(items), [
    'Edit c',
    'Move a',
    'Edit the first page',
    'Edit a',
    'A change',
    'Create the space',
  ])
  assert.equal(items[0]?.parents, [items[1]?.id])
  assert.is(items[0]?.type, 'edits')
  assert.equal(items[0]?.author, { name: 'Ada', email: 'ada@example.org' })
  assert.equal(messages(await all('', 100)), messages(items))
})

test('a revision has its author, time and message', async () => {
  const [, moved] = (await reader.get(`${api}/revisions`)).body.items
  assert.is(moved.object, 'revision')
  assert.is(moved.createdAt, '2023-11-14T22:13:23.000Z')
  assert.is(moved.git.message, 'Move a\n\nBecause.\n')
  assert.is(moved.git.createdByService, false)
  assert.is((await reader.get(new URL(moved.urls.location).pathname)).body.id, moved.id)
})

test('the revisions of a file include all its former names', async () => {
  const items = await all('path=b/c.md', 1)
  assert.equal(
    items.map(item => [item.message, item.path]),
    [
      ['Edit c', 'b/c.md'],
      ['Move a', 'b/c.md'],
      ['Edit a', 'a.md'],
      ['A change', 'a.md'],
    ],
  )
  assert.equal(messages(await all('path=a.md')), ['Edit a', 'A change'])
  assert.equal(await all('path=nothing.md'), [])
})

test('the revisions of a page', async () => {
  const { body: page } = await reader.get(`${api}/content/path/b/c`)
  assert.equal(messages(await all(`page=${page.id}`, 3)), [
    'Edit c',
    'Move a',
    'Edit a',
    'A change',
  ])
  assert.is(page.createdAt, '2023-11-14T22:13:20.000Z')
  assert.is(page.updatedAt, '2023-11-14T22:13:24.000Z')
  assert.is((await reader.get(`${api}/revisions?page=${page.id}&path=a.md`)).status, 400)
})

test('an invalid page of results is refused', async () => {
  for (const page of ['nothing', 'x.y', 'e30.e30'])
    assert.is((await reader.get(`${api}/revisions?page=${page}`)).status, 400, page)
  const { body } = await reader.get(`${api}/revisions?path=b/c.md&limit=1`)
  const other = await reader.get(`${api}/revisions?path=README.md&page=${body.next.page}`)
  assert.is(other.status, 400)
})

test('a revision that was pushed out of the line is not listed, but readable', async () => {
  const { id, parents } = (await all())[0] as Item
  gitOutside(repo.dir, ['update-ref', main, parents[0] as string])
  assert.is((await all())[0]?.message, 'Move a')
  const { status, body } = await reader.get(`${api}/revisions/${id}`)
  assert.equal([status, body.git.message], [200, 'Edit c\n'])
})

test.run()
