import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeApp } from '../../../src/app.ts'
import { openContext } from '../../../src/open.ts'
import { putMember } from '../../../src/store/people/organizations.ts'
import { revokeToken } from '../../../src/store/people/tokens.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'

// Recent responses are cached: these tests cover the requests that must not be answered from the
// cache.

const app = await startApp()
const { api, repo } = await makeSpace(app, {
  'README.md': '# One\n',
  'SUMMARY.md': '# Table of contents\n\n* [One](README.md)\n* [Two](two.md)\n',
  'two.md': '# Two\n',
})
const page = `${api}/content/path/two`

test.after(() => app.stop())

const warmUp = async (actor = app.admin, path = page) => {
  const answers = []
  for (let i = 0; i < 3; i++) answers.push(await actor.get(path))
  return answers
}

test('a repeated request gets the same response under another request id', async () => {
  const answers = await warmUp()
  const [first, ...others] = answers
  for (const { status, text, headers } of others) {
    assert.is(status, 200)
    assert.is(text, first?.text)

    for (const name of [
      'etag',
      'cache-control',
      'content-type',
      'content-length',
      'x-content-type-options',
    ])
      assert.is(headers.get(name), first?.headers.get(name), name)
  }

  assert.is(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size, 3)
  const etag = first?.headers.get('etag') ?? ''
  const known = await app.admin.get(page, { 'if-none-match': etag })

  assert.is(known.status, 304)
  assert.is(known.text, '')
  assert.is(known.headers.get('etag'), etag)
  assert.is((await app.admin.get(page, { 'if-none-match': '"other"' })).status, 200)
})

test('HEAD has the headers and no body', async () => {
  const [got] = await warmUp()
  const head = await app.admin.request('HEAD', page)
  assert.is(head.status, 200)
  assert.is(head.text, '')
  assert.is(head.headers.get('etag'), got?.headers.get('etag'))
})

test('each URL is cached separately: another query, another page, an invalid query', async () => {
  await warmUp()
  const bare = await app.admin.get(`${page}?metadata=false`)
  assert.is(bare.body.git, undefined)
  assert.is((await app.admin.get(`${page}?metadata=maybe`)).status, 400)
  assert.is((await app.admin.get(`${api}/content/path/three`)).status, 404)
})

test('a pushed commit is read at once', async () => {
  for (let i = 0; i < 5; i++) {
    await warmUp()
    await commitFiles(
      repo,
      { 'two.md': `# Two\n\nFrom outside, ${i}.\n` },
      { at: 1_700_000_100 + i },
    )
    assert.is((await app.admin.get(page)).body.markdown, `# Two\n\nFrom outside, ${i}.\n`)
  }
})

test('a branch moved with Git is read at once, whether packed or new', async () => {
  const git = (...args: string[]) => gitOutside(repo.dir, args)
  const read = async () => (await warmUp())[2]?.body.markdown as string
  git('pack-refs', '--all')
  const packed = await read()

  await commitFiles(repo, { 'two.md': '# Two\n\nPacked.\n' })
  assert.is.not(await read(), packed)
  git('pack-refs', '--all')
  assert.is(await read(), '# Two\n\nPacked.\n')
})

test('another default branch is read at once', async () => {
  const git = (...args: string[]) => gitOutside(repo.dir, args)
  const read = async () => (await warmUp())[2]?.body.markdown as string
  git('branch', 'other', main)
  await commitFiles(
    repo,
    { 'two.md': '# Two\n\nOf another branch.\n' },
    { ref: 'refs/heads/other' },
  )
  assert.is(await read(), '# Two\n\nPacked.\n')
  git('symbolic-ref', 'HEAD', 'refs/heads/other')
  assert.is(await read(), '# Two\n\nOf another branch.\n')
  git('symbolic-ref', 'HEAD', main)
  assert.is(await read(), '# Two\n\nPacked.\n')
})

test('an edit is served immediately, in the primary content and in a change request', async () => {
  await warmUp()
  const { id } = (await app.admin.get(page)).body
  const edit = (path: string, markdown: string) =>
    app.admin.post(`${path}/content`, {
      changes: [{ operation: 'update_page', page: id, document: { markdown } }],
    })
  const { body: request } = await app.admin.post(`${api}/change-requests`, { subject: 'More' })
  const proposed = `${api}/change-requests/${request.id}`

  await warmUp(app.admin, `${proposed}/content/path/two`)
  const edited = await edit(proposed, '# Two\n\nProposed.\n')

  assert.is(edited.status, 200, edited.text)
  const read = async (path: string) => (await app.admin.get(path)).body.markdown

  assert.is(await read(`${proposed}/content/path/two`), '# Two\n\nProposed.\n')
  assert.not.match(await read(page), /Proposed/)
  await warmUp()
  assert.is((await app.admin.post(`${proposed}/merge`)).status, 200)
  assert.is(await read(page), '# Two\n\nProposed.\n')
})

test('a user who loses their role cannot read any more', async () => {
  const ben = app.user('Ben', 'read')
  assert.equal(
    (await warmUp(ben)).map(({ status }) => status),
    [200, 200, 200],
  )
  putMember(app.ctx.store, 'acme', ben.id, null, '2026-01-01T00:00:00.000Z')
  assert.is((await ben.get(page)).status, 404)
  assert.is((await app.admin.get(page)).status, 200)
})

test('a token revoked by another process is refused at once', async () => {
  const cleo = app.user('Cleo', 'read')
  assert.equal(
    (await warmUp(cleo)).map(({ status }) => status),
    [200, 200, 200],
  )
  const other = openContext(app.ctx.config, app.ctx.log)
  const [{ id } = { id: '' }] = (await cleo.get('/v1/user/tokens')).body.items

  revokeToken(other.store, id, '2026-01-01T00:00:00.000Z')
  assert.is((await cleo.get(page)).status, 401)
  other.close()
})

test('an expired token is refused', async () => {
  const dora = app.user('Dora', 'read')
  const expiresAt = new Date(Date.now() + 30_000).toISOString()
  const { body } = await dora.post('/v1/user/tokens', { name: 'short', expiresAt })
  const read = async () =>
    (await app.anonymous.get(page, { authorization: `Bearer ${body.token}` })).status

  for (let i = 0; i < 3; i++) assert.is(await read(), 200)
  const { now } = Date

  try {
    // Soon enough that its use is not recorded again, and at most one millisecond after it expires.
    Date.now = () => now() + 30_001
    assert.is(await read(), 401)
  } finally {
    Date.now = now
  }
})

test('a failing database fails requests and does not stop the server', async () => {
  const ctx = openContext(app.ctx.config, app.ctx.log)
  const server = createServer(makeApp(ctx)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const status = async () => {
    const headers = { authorization: `Bearer ${app.admin.token}` }
    return (await fetch(`http://127.0.0.1:${port}${page}`, { headers })).status
  }

  for (let i = 0; i < 3; i++) assert.is(await status(), 200)
  ctx.close()
  assert.is(await status(), ctx.store.isShared ? 503 : 500)
  server.close()
  server.closeAllConnections()
})

test('a deleted space is not found', async () => {
  await warmUp()
  assert.ok((await app.admin.delete(api)).status < 300)
  assert.is((await app.admin.get(page)).status, 404)
})

test.run()
