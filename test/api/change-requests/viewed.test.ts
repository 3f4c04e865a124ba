import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
const reader = space.user('Rea', 'read')
test.after(() => app.stop())

test('a mark holds for one person and one version of a page', async () => {
  await space.commit({
    'SUMMARY.md': '* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n',
    'a.md': '# A\n',
    'b.md': '# B\n',
    'c.md': '# C\n',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  })
  const { body: request } = await space.open(editor, 'Words', {
    'a.md': '# A\n\nMore.\n',
    'c.md': null,
    'SUMMARY.md': '* [A](a.md)\n* [B](b.md)\n',
  })
  const path = `${space.path}/${request.number}`
  const before = (await editor.get(`/v1/spaces/${space.id}/content/pages`)).body.pages
  const [a, b, c] = before.map(({ id }: { id: string }) => id)
  const seen = async (by: typeof reader) =>
    (await by.get(`${path}/viewed`)).body.items.map(({ item }: { item: string }) => item)
  assert.equal(await seen(reader), [])

  const pages = (await reader.get(`${path}/content/pages`)).body.pages
  const blob = pages[0].git.oid
  const marked = await reader.put(`${path}/viewed/${a}`, { blob })
  assert.is(marked.status, 200, marked.text)
  assert.is(marked.body.item, a)
  assert.is(marked.body.blob, blob)
  assert.is((await reader.put(`${path}/viewed/${b}`, {})).status, 200)
  const removed = await reader.put(`${path}/viewed/${c}`, {})
  assert.is(removed.status, 200, removed.text)
  assert.not.ok('blob' in removed.body)
  const { items } = (await reader.get(`/v1/spaces/${space.id}/content/files`)).body
  assert.is((await reader.put(`${path}/viewed/${items[0].id}`, {})).status, 200)
  assert.equal((await seen(reader)).sort(), [a, b, c, items[0].id].sort())
  assert.equal(await seen(editor), [])

  // The page changes.
  await space.commit({ 'a.md': '# A\n\nMuch more.\n' }, request.number)
  assert.equal((await seen(reader)).sort(), [b, c, items[0].id].sort())
  const late = await reader.put(`${path}/viewed/${a}`, { blob })
  assert.is(late.status, 409)
  assert.match(late.body.error.message, 'View it again')
  assert.is(late.body.details.blob.length, 40)
  await reader.put(`${path}/viewed/${a}`, { blob: late.body.details.blob })
  assert.ok((await seen(reader)).includes(a))

  // A page that changes back is the version that was viewed.
  await space.commit({ 'b.md': '# B\n\nOther.\n' }, request.number)
  assert.not.ok((await seen(reader)).includes(b))
  await space.commit({ 'b.md': '# B\n' }, request.number)
  assert.ok((await seen(reader)).includes(b))

  assert.is((await reader.delete(`${path}/viewed/${b}`)).status, 204)
  assert.is((await reader.delete(`${path}/viewed/${b}`)).status, 204)
  assert.not.ok((await seen(reader)).includes(b))

  // A merge changes nothing of it.
  assert.is((await editor.post(`${path}/merge`)).body.result, 'merge')
  assert.ok((await seen(reader)).includes(a))
})

test('a page is viewed with the reusable content that it shows', async () => {
  const include = (path: string) => `{% include "${path}" %}`
  await space.commit({
    'SUMMARY.md': '* [A](a.md)\n* [B](b.md)\n',
    'a.md': `# A\n\n${include('.gitbook/includes/outer.md')}\n`,
    'b.md': '# B\n',
    '.gitbook/includes/outer.md': `Outer.\n\n${include('inner.md')}\n`,
    '.gitbook/includes/inner.md': 'Inner.\n',
  })
  const { body: request } = await space.open(editor, 'Reuse', {
    '.gitbook/includes/inner.md': 'Inner, changed.\n',
  })
  const path = `${space.path}/${request.number}`
  const [a, b] = (await reader.get(`${path}/content/pages`)).body.pages
  const { body: tree } = await reader.get(`${path}/content`)
  const inner = tree.reusableContents.find(({ title }: { title: string }) => title === 'inner').id
  const seen = async () =>
    (await reader.get(`${path}/viewed`)).body.items.map(({ item }: { item: string }) => item).sort()
  for (const item of [a.id, b.id, inner]) {
    const marked = await reader.put(`${path}/viewed/${item}`, {})
    assert.is(marked.status, 200, marked.text)
  }
  assert.equal(await seen(), [a.id, b.id, inner].sort())

  await space.commit({ '.gitbook/includes/inner.md': 'Other.\n' }, request.number)
  assert.equal(await seen(), [b.id])
  assert.is((await reader.put(`${path}/viewed/${a.id}`, { blob: a.git.oid })).status, 200)
  assert.equal(await seen(), [a.id, b.id].sort())

  // What was viewed before counts again.
  await space.commit({ '.gitbook/includes/inner.md': 'Inner, changed.\n' }, request.number)
  assert.equal(await seen(), [b.id, inner].sort())

  await space.commit({ '.gitbook/includes/inner.md': null }, request.number)
  const removed = await reader.put(`${path}/viewed/${inner}`, {})
  assert.is(removed.status, 200, removed.text)
  assert.not.ok('blob' in removed.body)
  assert.equal(await seen(), [b.id, inner].sort())
})

test('what a change request does not have cannot be marked', async () => {
  const { body: request } = await space.open(editor, 'Nothing')
  const path = `${space.path}/${request.number}/viewed`
  assert.is((await reader.put(`${path}/nothing`, {})).status, 404)
  assert.is((await reader.put(`${path}/nothing`, { blob: 'x' })).status, 400)
  assert.is((await reader.put(`${path}/nothing`, { viewed: true })).status, 400)
  assert.is((await app.user('Stranger').put(`${path}/nothing`, {})).status, 404)
})

test.run()
