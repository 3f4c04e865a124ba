import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

let app: App
let space: Space
let editor: Actor

test.before(async () => {
  app = await startApp()
  space = await makeSpace(app)
  editor = space.user('Eva', 'edit')
})
test.after(() => app.stop())
test.before.each(async () => {
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Docs](README.md)\n* [A](a.md)\n  * [Below](a/below.md)\n* [B](b.md)\n* Words\n* [Gone](gone.md)\n* [🚀 Go](go.md)\n',
    'a.md': '---\ndescription: Old\n---\n\n# A\n\nOne.\n',
    'a/below.md': '# Below\n',
    'b.md': '\ufeff# B\r\n\r\nText.\r\n',
    'go.md': '# 🚀 Go\n',
    'gone.md': null,
    'words.md': null,
  })
})

const content = () => `/v1/spaces/${space.id}/content`
const edit = (...changes: object[]) => editor.post(content(), { changes })
const idOf = async (path: string) =>
  (await editor.get(`${content()}/path/${path}`)).body.id as string
/** Returns the bytes of the file as text. */
const show = (path: string) => gitOutside(space.repo.dir, ['cat-file', 'blob', `main:${path}`])

test('fields that were changed since the base revision are not overwritten', async () => {
  const [a, b] = [await idOf('a'), await idOf('b')]
  const base = await space.head()
  const mine = (change: object) => ({
    operation: 'update_page',
    page: a,
    baseRevision: base,
    ...change,
  })

  const theirs = await edit({
    operation: 'update_page',
    page: a,
    title: 'Theirs',
    description: 'New',
    into: b,
  })

  assert.is(theirs.status, 200, theirs.text)
  const title = await edit(mine({ title: 'Mine' }))

  assert.is(title.status, 409)
  assert.equal(title.body.details.fields, { title: { base: 'A', theirs: 'Theirs' } })
  assert.is((await edit(mine({ title: 'Theirs' }))).status, 200)
  assert.equal((await edit(mine({ description: 'x' }))).body.details.fields, {
    description: { base: 'Old', theirs: 'New' },
  })
  assert.is((await edit(mine({ into: null }))).status, 409)
  assert.is((await edit(mine({ slug: 'another' }))).status, 200)
  assert.is((await edit(mine({ slug: 'third' }))).status, 409)
  assert.is((await edit({ operation: 'delete_page', page: a, baseRevision: base })).status, 409)
  const head = await space.head()

  assert.is((await edit({ operation: 'delete_page', page: a, baseRevision: head })).status, 200)
  const gone = await edit(mine({ title: 'Late' }))

  assert.is(gone.status, 409)
  assert.match(gone.body.error.message, 'was deleted since')
  assert.is((await edit(mine({ baseRevision: 'f'.repeat(40) }))).status, 404)
})

test('a new heading changes the title if the old one was the title', async () => {
  const a = await idOf('a')
  await edit({ operation: 'update_page', page: a, document: { markdown: '# Another A\n\nOne.\n' } })
  assert.match(show('SUMMARY.md'), '* [Another A](a.md)\n')
  assert.is(show('a.md'), '---\ndescription: Old\n---\n\n# Another A\n\nOne.')
  await edit({
    operation: 'update_page',
    page: a,
    title: 'Third',
    document: { markdown: 'Two.\n' },
  })
  assert.match(show('SUMMARY.md'), '* [Third](a.md)\n')
  assert.is(show('a.md'), '---\ndescription: Old\n---\n\n# Third\n\nTwo.')
})

test('line ends and the byte-order mark of a file are preserved', async () => {
  const b = await idOf('b')
  await edit({
    operation: 'update_page',
    page: b,
    hidden: true,
    document: { markdown: 'New\ntext.\n' },
  })
  assert.is(show('b.md'), '\ufeff---\r\nhidden: true\r\n---\r\n\r\n# B\r\n\r\nNew\r\ntext.')
  await edit({
    operation: 'update_page',
    page: b,
    hidden: false,
    document: { markdown: 'Text.\n' },
  })
  assert.is(show('b.md'), '\ufeff# B\r\n\r\nText.')
})

test('a page without a file gets one with its first content and keeps its id', async () => {
  const [words, gone] = [await idOf('words'), await idOf('gone')]
  const reply = await edit(
    { operation: 'update_page', page: words, description: 'Now with words' },
    { operation: 'update_page', page: gone, document: { markdown: 'Back.\n' } },
  )

  assert.is(reply.status, 200, reply.text)
  assert.match(show('SUMMARY.md'), '* [Words](words.md)\n* [Gone](gone.md)\n')
  assert.is(show('words.md'), '---\ndescription: Now with words\n---\n\n# Words')
  assert.is(show('gone.md'), '# Gone\n\nBack.')
  assert.equal([await idOf('words'), await idOf('gone')], [words, gone])
})

test('an emoji is written into the title or the front matter', async () => {
  const [a, go] = [await idOf('a'), await idOf('go')]
  await edit(
    { operation: 'update_page', page: go, emoji: '🎉' },
    { operation: 'update_page', page: a, emoji: '📄' },
  )
  assert.match(show('SUMMARY.md'), '* [🎉 Go](go.md)')
  assert.is(show('go.md'), '# 🎉 Go')
  assert.match(show('a.md'), 'emoji: 📄\n')
  assert.is((await editor.get(`${content()}/page/${a}`)).body.emoji, '📄')
  await edit(
    { operation: 'update_page', page: go, emoji: '' },
    { operation: 'update_page', page: a, emoji: '' },
  )
  assert.match(show('SUMMARY.md'), '* [Go](go.md)')
  assert.not.match(show('a.md'), 'emoji')
})

test('a block tree becomes Markdown with relative links', async () => {
  const [a, below] = [await idOf('a'), await idOf('a/below')]
  const leaf = (text: string) => ({ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] })
  const link = (ref: object, text: string) => ({
    object: 'inline',
    type: 'link',
    data: { ref },
    nodes: [leaf(text)],
  })

  const nodes = [
    leaf('See '),
    link({ kind: 'page', page: a }, 'A'),
    link({ kind: 'anchor', page: a, anchor: 'x' }, 'x'),
    link({ kind: 'page', page: 'nobody' }, 'nobody'),
  ]
  const document = {
    document: { object: 'document', nodes: [{ object: 'block', type: 'paragraph', nodes }] },
  }
  const reply = await edit({ operation: 'update_page', page: below, document })

  assert.is(reply.status, 200, reply.text)
  assert.is(show('a/below.md'), '# Below\n\nSee [A](../a.md)[x](../a.md#x)nobody')
  const same = await edit({ operation: 'update_page', page: below, document: {} })

  assert.is(same.body.revision, reply.body.revision)
})

test.run()
