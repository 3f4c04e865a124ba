import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { withoutIds } from '../../support/http/without-ids.ts'

const app = await startApp()
test.after(() => app.stop())

const idOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Returns the body of an import; `contents` are the texts to send, by default all. */
const folder = (
  files: Record<string, string>,
  options: object = {},
  contents = Object.values(files),
) => ({
  files: Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, `100644 ${idOf(text)}`]),
  ),
  contents: contents.map(base64),
  ...options,
})

const newSpace = async (options: object = { empty: true }): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs', ...options })).body.id

const send = (space: string, body: object, by = app.admin) =>
  by.post(`/v1/spaces/${space}/git/folder`, body)

const pagesOf = async (
  space: string,
): Promise<{ id: string; path: string; title: string; git: { path: string } }[]> =>
  (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body.pages

const edit = async (space: string, page: string, markdown: string) => {
  const change = { operation: 'update_page', page, document: { markdown } }
  assert.is(
    (await app.admin.post(`/v1/spaces/${space}/content`, { changes: [change] })).status,
    200,
  )
}

const textOf = async (space: string, path: string): Promise<string> =>
  (await app.admin.get(`/v1/spaces/${space}/content/path/${path}?format=markdown`)).body.markdown

test('files become one commit of the user, and the same files make none', async () => {
  const space = await newSpace()
  const files = { 'README.md': '# Start\n', 'guide.md': '# Guide\n', '.gitbook/assets/a.txt': 'a' }
  const first = await send(space, folder(files, { message: 'Publish it' }))
  assert.is(first.status, 200, first.text)
  const { revision, filesAdded, filesChanged, filesRemoved, missing } = first.body

  assert.equal([filesAdded, filesChanged, filesRemoved, missing], [3, 0, 0, []])
  const { items } = (await app.admin.get(`/v1/spaces/${space}/revisions`)).body

  assert.is(items[0].id, revision)
  assert.match(JSON.stringify(items[0]), /Publish it/)
  const again = await send(space, folder(files, {}, []))

  assert.equal([again.body.revision, again.body.filesAdded, again.body.missing], [revision, 0, []])
})

test('only contents that the space lacks are asked for, and nothing changes until they are there', async () => {
  const space = await newSpace()
  const before = { 'README.md': '# Start\n', 'guide.md': '# Guide\n' }
  const { revision } = (await send(space, folder(before))).body
  const after = { ...before, 'guide.md': '# Guide\n\nMore.\n' }
  const asked = await send(space, folder(after, {}, []))

  assert.equal(asked.body, { object: 'folder-import', missing: [idOf(after['guide.md'])] })
  assert.is((await app.admin.get(`/v1/spaces/${space}`)).body.revision ?? revision, revision)
  const sent = await send(space, folder(after, {}, [after['guide.md']]))

  assert.equal([sent.body.filesAdded, sent.body.filesChanged, sent.body.filesRemoved], [0, 1, 0])
})

test('a blob of another space or of an abandoned revision counts as missing', async () => {
  const [one, other] = [await newSpace(), await newSpace()]
  await send(one, folder({ 'README.md': 'secret' }))
  const reply = await send(other, folder({ 'README.md': 'secret' }, {}, []))
  assert.equal(reply.body.missing, [idOf('secret')])
  await send(one, folder({ 'README.md': 'new' }))
  assert.equal((await send(one, folder({ 'a.md': 'secret' }, {}, []))).body.missing, [
    idOf('secret'),
  ])
})

test('a renamed page keeps its id, and a deleted one is gone', async () => {
  const space = await newSpace()
  const text = `# Guide\n\n${'A line of text.\n'.repeat(20)}`
  await send(space, folder({ 'README.md': '# Start\n', 'guide.md': text, 'old.md': '# Old\n' }))
  const { id } = (await pagesOf(space)).find(page => page.title === 'Guide')!
  await send(space, folder({ 'README.md': '# Start\n', 'manual/install.md': `${text}One more.\n` }))
  const pages = JSON.stringify(await pagesOf(space))
  assert.match(pages, new RegExp(`"id":"${id}"`))
  assert.not.match(withoutIds(pages), /Old/)
})

test('edits in the space stay, and conflicts change nothing unless the folder is to win', async () => {
  const space = await newSpace()
  const files = { 'README.md': '# Start\n\nOne.\n', 'guide.md': '# Guide\n\nTwo.\n' }
  await send(space, folder(files))
  const [start] = await pagesOf(space)

  await edit(space, start!.id, '# Start\n\nEdited.\n')
  const merged = await send(space, folder({ ...files, 'guide.md': '# Guide\n\nThree.\n' }))

  assert.is(merged.status, 200, merged.text)
  assert.match(await textOf(space, 'readme'), /Edited/)
  assert.match(await textOf(space, 'guide'), /Three/)
  const other = { ...files, 'README.md': '# Start\n\nElse.\n' }
  const refused = await send(space, folder(other))

  assert.is(refused.status, 409)
  assert.match(refused.text, /both changed README\.md/)
  const [{ hunks }] = refused.body.details.conflicts
  assert.equal(hunks, [
    {
      hunk: hunks[0].hunk,
      base: 'One.\n',
      ours: 'Edited.\n',
      theirs: 'Else.\n',
      lines: { base: 3, ours: 3, theirs: 3 },
    },
  ])
  assert.match(await textOf(space, 'readme'), /Edited/)
  assert.is((await send(space, folder(other, { force: true }))).status, 200)
  assert.match(await textOf(space, 'readme'), /Else/)
})

test('content that does not come from a folder is neither mixed nor replaced unasked', async () => {
  const changed = async () => {
    const space = await newSpace({})
    const page = { operation: 'insert_page', title: 'Mine', document: { markdown: 'Text.\n' } }
    await app.admin.post(`/v1/spaces/${space}/content`, { changes: [page] })
    return space
  }
  const files = { 'extra.md': '# Extra\n' }
  const space = await changed()
  const refused = await send(space, folder(files))

  assert.is(refused.status, 409)
  assert.match(refused.text, /does not come from a folder/)
  assert.is((await send(space, folder(files, { force: true }))).body.filesRemoved, 0)
  assert.match(JSON.stringify(await pagesOf(space)), /Mine/)
  const replaced = await changed()

  assert.is((await send(replaced, folder(files, { replace: true }))).status, 200)
  assert.equal(
    (await pagesOf(replaced)).map(({ title }) => title),
    ['Extra'],
  )
})

test('a folder sent in parts is whole after the last one', async () => {
  const space = await newSpace()
  const all = { 'README.md': '# Start\n', 'a.md': '# A\n' }
  await send(space, folder({ 'a.md': all['a.md'] }, { keep: true }))
  await send(space, folder({ 'b.md': '# B\n' }, { keep: true }))
  assert.is((await pagesOf(space)).length, 2)
  const last = await send(space, folder(all, {}, [all['README.md']]))
  assert.equal([last.body.filesAdded, last.body.filesRemoved], [1, 1])
})

const requestIn = async (space: string, subject = 'Update'): Promise<string> => {
  const { body } = await app.admin.post(`/v1/spaces/${space}/change-requests`, { subject })
  return `${space}/change-requests/${body.number}`
}

const mergeOf = async (request: string) => {
  const { status, text, body } = await app.admin.post(`/v1/spaces/${request}/merge`)
  assert.equal([status, body.result], [200, 'merge'], text)
}

test('a folder goes into a change request, and later imports go on from there', async () => {
  const space = await newSpace()
  const long = `# Guide\n\n${'A line of text.\n'.repeat(20)}`
  const files = { 'README.md': '# Start\n', 'guide.md': long }
  await send(space, folder(files))
  const { id } = (await pagesOf(space)).find(page => page.title === 'Guide')!
  const request = await requestIn(space)
  const empty = await send(request, folder(files, {}, []))

  assert.equal([empty.status, empty.body.filesChanged, empty.body.missing], [200, 0, []])
  const after = { 'README.md': '# Start\n\nTwo.\n', 'manual.md': `${long}One more.\n` }
  const asked = await send(request, folder(after, {}, []))

  assert.is(asked.body.missing.length, 2)
  const sent = await send(request, folder(after, { message: 'Two' }))

  assert.equal([sent.status, sent.body.filesChanged], [200, 1], sent.text)
  assert.is(await textOf(space, 'readme'), '# Start\n')
  assert.match(await textOf(request, 'readme'), /Two/)
  assert.ok((await pagesOf(request)).some(page => page.id === id && page.path === 'manual'))
  const again = await send(request, folder(after, {}, []))

  assert.equal([again.body.revision, again.body.filesChanged], [sent.body.revision, 0])
  const third = { ...after, 'README.md': '# Start\n\nThree.\n' }

  assert.is((await send(request, folder(third))).body.filesChanged, 1)
  await mergeOf(request)
  const merged = await send(request, folder(after))

  assert.is(merged.status, 409)
  assert.match(merged.text, /is merged/)
  const fourth = await send(space, folder({ ...after, 'README.md': '# Start\n\nFour.\n' }))

  assert.equal([fourth.status, fourth.body.filesChanged], [200, 1], fourth.text)
  assert.match(await textOf(space, 'readme'), /Four/)
})

test('edits in a change request stay, and conflicts in it change nothing', async () => {
  const space = await newSpace()
  const files = { 'README.md': '# Start\n\nOne.\n', 'guide.md': '# Guide\n\nTwo.\n' }
  await send(space, folder(files))
  const request = await requestIn(space)
  const [start] = await pagesOf(space)

  await edit(request, start!.id, '# Start\n\nEdited.\n')
  const merged = await send(request, folder({ ...files, 'guide.md': '# Guide\n\nThree.\n' }))

  assert.is(merged.status, 200, merged.text)
  assert.match(await textOf(request, 'readme'), /Edited/)
  const other = { ...files, 'README.md': '# Start\n\nElse.\n' }
  const refused = await send(request, folder(other))

  assert.is(refused.status, 409)
  assert.match(refused.text, /The folder and change request #1 both changed README\.md/)
  assert.is((await send(request, folder(other, { replace: true }))).status, 200)
  assert.match(await textOf(request, 'readme'), /Else/)
  assert.match(await textOf(request, 'guide'), /Two/)
  await app.admin.patch(`/v1/spaces/${request}`, { status: 'archived' })
  assert.match((await send(request, folder(files))).text, /is archived/)
})

test('whoever may edit a change request of a locked space may send a folder into it', async () => {
  const space = await newSpace()
  await send(space, folder({ 'README.md': '# Start\n' }))
  await app.admin.patch(`/v1/spaces/${space}`, { editMode: 'locked' })
  const [request, editor] = [await requestIn(space), app.user('Edna', 'edit')]
  const changed = folder({ 'README.md': '# Start\n\nTwo.\n' })

  assert.is((await send(space, changed, editor)).status, 403)
  const sent = await send(request, changed, editor)

  assert.is(sent.status, 200, sent.text)
  const { items } = (await app.admin.get(`/v1/spaces/${request}/contributors`)).body
  assert.equal(
    items.map(({ user }: { user: { displayName: string } }) => user.displayName),
    ['Edna'],
  )
  assert.is((await send(request, changed, app.user('Rob', 'read'))).status, 403)
})

test('paths that Git rejects, links and broken ids are refused', async () => {
  const space = await newSpace()
  for (const path of ['.git/config', '../a.md', 'a//b.md', 'a/.GIT/x', '/a.md']) {
    const reply = await send(space, folder({ [path]: 'x' }))
    assert.is(reply.status, 400, `${path}: ${reply.text}`)
  }

  const both = await send(space, folder({ a: 'x', 'a/b': 'y' }))
  assert.is(both.status, 400, both.text)
  for (const entry of ['120000 ', '160000 ', '100644'])
    assert.is((await send(space, { files: { a: `${entry}${'0'.repeat(40)}` } })).status, 400)
  assert.is((await send(space, { files: {}, contents: ['~'] })).status, 400)
})

test('who may not import may not send a folder either', async () => {
  const space = await newSpace()
  const reader = app.user('Rita', 'read')
  assert.is((await send(space, folder({ 'a.md': 'x' }), reader)).status, 403)
})

test.run()
