import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())
const { admin } = app

const newSpace = async (title: string): Promise<string> =>
  `/v1/spaces/${(await admin.post('/v1/orgs/acme/spaces', { title })).body.id}`

const tagOf = async (path: string): Promise<string> => {
  const { status, headers, text } = await admin.get(path)
  assert.is(status, 200, text)
  return headers.get('etag') as string
}

const patch = (path: string, body: unknown, tag: string) =>
  admin.request('PATCH', path, body, { 'if-match': tag })

test('a read has an ETag that changes with the resource, and is 304 for a client that has it', async () => {
  const space = await newSpace('Tagged')
  const paths = [space, '/v1/user', '/v1/orgs/acme', '/v1/orgs/acme/spaces', `${space}/comments`]

  for (const path of paths) {
    const known = await admin.get(path, { 'if-none-match': await tagOf(path) })
    assert.equal([known.status, known.text], [304, ''], path)
  }

  const before = await tagOf(space)
  await admin.patch(space, { title: 'Other' })
  assert.is.not(await tagOf(space), before)
  assert.is((await admin.get(space, { 'if-none-match': before })).body.title, 'Other')
})

test('a write with If-Match is carried out for the state that it names only', async () => {
  const space = await newSpace('Guarded')
  const seen = await tagOf(space)
  assert.is((await patch(space, { title: 'One' }, seen)).status, 200)
  const late = await patch(space, { title: 'Two' }, seen)

  assert.is(late.status, 412, late.text)
  assert.match(late.body.error.message, /has changed since you read it/)
  assert.is((await admin.get(space)).body.title, 'One')
  const now = await tagOf(space)
  assert.is((await patch(space, { title: 'Three' }, `"other", ${now}`)).status, 200)
  assert.is((await patch(space, { title: 'Four' }, '*')).status, 200)

  const gone = await admin.request('DELETE', space, undefined, { 'if-match': seen })
  assert.is(gone.status, 412, gone.text)
  const deleted = await admin.request('DELETE', space, undefined, {
    'if-match': await tagOf(space),
  })
  assert.is(deleted.status, 204, deleted.text)
})

test('of writes at once with the same If-Match, one is carried out', async () => {
  const space = await newSpace('Race')
  const seen = await tagOf(space)
  const titles = Array.from({ length: 12 }, (_, n) => `Title ${n}`)
  const replies = await Promise.all(titles.map(title => patch(space, { title }, seen)))
  const won = replies.flatMap(({ status }, n) => (status === 200 ? [titles[n]] : []))

  assert.equal(replies.map(({ status }) => status).sort(), [
    200,
    ...Array.from({ length: 11 }, () => 412),
  ])
  assert.equal([(await admin.get(space)).body.title], won)
})

test('a condition tells nothing to callers who may not read, and needs something to read', async () => {
  const space = await newSpace('Hidden')
  const stranger = app.user('Sid')
  for (const tag of ['*', '"x"', await tagOf(space)])
    assert.is(
      (await stranger.request('PATCH', space, { title: 'X' }, { 'if-match': tag })).status,
      404,
    )

  const none = await admin.request(
    'POST',
    '/v1/orgs/acme/collections',
    { title: 'A' },
    { 'if-match': '*' },
  )
  const path = '/v1/orgs/acme/collections'

  // A list is read at this path.
  assert.is(none.status < 300, true, none.text)
  assert.is((await admin.request('POST', path, { title: 'B' }, { 'if-match': '"x"' })).status, 412)
  const merge = await admin.request('POST', `${space}/move`, { position: {} }, { 'if-match': '*' })

  assert.is(merge.status, 400, merge.text)
  assert.match(merge.body.error.message, /"If-Match"/)
})

test.run()
