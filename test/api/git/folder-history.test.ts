import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())

const idOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const send = (
  path: string,
  files: Record<string, string>,
  changes: Record<string, unknown>,
  more: object = {},
) =>
  app.admin.post(`/v1/spaces/${path}/git/folder`, {
    files: Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, `100644 ${idOf(text)}`]),
    ),
    contents: Object.values(files).map(text => Buffer.from(text).toString('base64')),
    history: { changes, ...more },
  })

const newSpace = async (): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })).body.id

/** Returns the last change of each page by the path of its file; `of` is below the space. */
async function datesOf(space: string, of = ''): Promise<Record<string, string | undefined>> {
  const at = `/v1/spaces/${space}${of}/content`
  const { pages } = (await app.admin.get(`${at}/pages`)).body
  const dates = pages.map(async ({ id, git }: { id: string; git: { path: string } }) => [
    git.path,
    (await app.admin.get(`${at}/page/${id}`)).body.updatedAt,
  ])
  return Object.fromEntries(await Promise.all(dates))
}

const files = { 'README.md': '# Start\n', 'guide.md': '# Guide\n' }
const in2020 = '2020-01-01T00:00:00.000Z'
const changes = { 'README.md': '1577836800 Grace', 'guide.md': '1577836800' }

test('later changes in the space, and what the server is told later, count', async () => {
  const space = await newSpace()
  assert.is((await send(space, files, { ...changes, 'guide.md': null })).status, 200)
  assert.equal(await datesOf(space), { 'README.md': in2020, 'guide.md': undefined })

  await send(space, files, changes)
  await send(space, files, { 'README.md': null, 'guide.md': null })
  assert.equal(await datesOf(space), { 'README.md': in2020, 'guide.md': in2020 })
  const copy = (await app.admin.post(`/v1/spaces/${space}/duplicate`)).body.id
  assert.equal(await datesOf(copy), { 'README.md': in2020, 'guide.md': in2020 })

  const { pages } = (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body
  const [{ id: page }] = pages
  const edit = { operation: 'update_page', page, document: { markdown: '# Start\n\nNow.\n' } }
  const edited = await app.admin.post(`/v1/spaces/${space}/content`, { changes: [edit] })
  assert.is(edited.status, 200)

  const dates = await datesOf(space)
  assert.is(dates['guide.md'], in2020)
  assert.ok((dates['README.md'] ?? '') > '2021')
})

test('a time in the future is that of the import', async () => {
  const space = await newSpace()
  await send(space, files, { 'README.md': '99999999999 Grace' })
  const dates = await datesOf(space)
  assert.ok((dates['README.md'] ?? '9') <= app.ctx.now().toISOString())

  app.ctx.store.run(
    query
      .updateTable('folder_change')
      .set({ changed_at: 1577836800 })
      .where('space_id', '=', space),
  )
  await send(space, files, { 'README.md': '99999999999 Grace' })
  assert.is((await datesOf(space))['README.md'], in2020)
})

test('a refused import changes no dates', async () => {
  const space = await newSpace()
  await send(space, files, changes)
  const { pages } = (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body
  const edit = { operation: 'update_page', page: pages[0].id, document: { markdown: 'Ours.\n' } }
  assert.is((await app.admin.post(`/v1/spaces/${space}/content`, { changes: [edit] })).status, 200)

  const refused = await send(
    space,
    { ...files, 'README.md': 'Theirs.\n' },
    { 'README.md': '1546300800 Mallory', 'guide.md': '1546300800 Mallory' },
  )
  assert.is(refused.status, 409)
  assert.is((await datesOf(space))['guide.md'], in2020)
})

test('an import into a change request dates what it brings, and nothing that is published', async () => {
  const space = await newSpace()
  await send(space, files, {})
  const before = await datesOf(space)
  const request = await app.admin.post(`/v1/spaces/${space}/change-requests`, { subject: 'New' })
  const { number } = request.body
  const added = { ...files, 'new.md': '# New\n' }
  const sent = await send(`${space}/change-requests/${number}`, added, {
    ...changes,
    'new.md': '1577836800 Grace',
  })

  assert.is(sent.status, 200, sent.text)
  assert.equal(await datesOf(space), before)
  assert.equal(await datesOf(space, `/change-requests/${number}`), { ...before, 'new.md': in2020 })

  const merged = await app.admin.post(`/v1/spaces/${space}/change-requests/${number}/merge`)
  assert.is(merged.status, 200, merged.text)
  assert.equal(await datesOf(space), { ...before, 'new.md': in2020 })
})

test('a history is checked like the rest of the body', async () => {
  const space = await newSpace()
  for (const [bad, more, message] of [
    [{ 'other.md': '1 A' }, {}, /"history" names "other.md", which is not in "files"/],
    [{ 'README.md': 'yesterday' }, {}, /history.*takes the seconds since 1970/],
    [{ 'README.md': '-5 A' }, {}, /takes the seconds since 1970/],
    [{ 'README.md': '1 A\nB' }, {}, /takes the seconds since 1970/],
    [{ 'README.md': '1 \u202eA' }, {}, /takes the seconds since 1970/],
    [{ 'README.md': `1 ${'x'.repeat(300)}` }, {}, /history/],
    [{ 'README.md': 5 }, {}, /history/],
    [{}, { commit: 'main' }, /takes the id of a commit/],
    [{}, { other: 1 }, /other/],
  ] as const) {
    const { status, text, body } = await send(space, files, bad, more)
    assert.is(status, 400, text)
    assert.match(body.error.message, message)
  }
  assert.equal(await datesOf(space), {})
})

test.run()
