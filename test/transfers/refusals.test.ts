import { ftruncateSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { flushPacket, packet } from '../../src/git/protocol/packets.ts'
import { fetchSpools, spoolFolder } from '../../src/transfers/spools.ts'
import { type Actor, type App, startApp } from '../support/app.ts'
import { type GitClient, openClient, remoteOf } from '../support/git/client.ts'
import { until } from '../support/until.ts'

let app: App
let client: GitClient
let spaceId = ''
let reader: Actor

test.before(async () => {
  app = await startApp()
  client = await openClient()
  reader = app.user('Rea', 'read')
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  spaceId = body.id
})
test.after(async () => {
  await client.remove()
  await app.stop()
})

/** What git prints when it lists a remote. */
const list = async (remote: string, args: readonly string[] = []) =>
  (await client.git([...args, 'ls-remote', remote])).stderr

test('without credentials Git asks for them, whatever the space', async () => {
  for (const id of [spaceId, 'nothing']) {
    const response = await fetch(`${app.url}/${id}.git/info/refs?service=git-upload-pack`)
    assert.is(response.status, 401)
    assert.is(response.headers.get('www-authenticate'), 'Basic realm="Stemma", charset="UTF-8"')
    assert.is(response.headers.get('cache-control'), 'no-cache, max-age=0, must-revalidate')
    assert.is(
      await response.text(),
      'Log in with any name, and a token of yours as the password.\n',
    )
    assert.match(await list(`${app.url}/${id}.git`), /could not read Username/)
  }
})

test('a wrong token is refused with how to log in', async () => {
  const said = await list(remoteOf(app.url, spaceId, 'stm_wrong'))
  assert.match(
    said,
    /remote: The token cannot be used\. Log in with any name, and a token of yours as the password\./,
  )
})

test('the token may be the name, or that of a Bearer header', async () => {
  const { host } = new URL(app.url)
  const { token } = app.admin
  for (const remote of [`http://${token}@${host}`, `http://${token}:x-oauth-basic@${host}`])
    assert.is((await client.git(['ls-remote', `${remote}/${spaceId}.git`])).code, 0)
  const header = `http.extraHeader=Authorization: Bearer ${token}`
  assert.is((await client.git(['-c', header, 'ls-remote', `${app.url}/${spaceId}.git`])).code, 0)
})

test('a space that is not there and one that may not be seen are the same', async () => {
  const stranger = app.user('Stranger')
  const unknown = await list(remoteOf(app.url, 'nothing', app.admin.token))
  assert.match(unknown, /remote: There is no space "nothing", or you may not see it\./)
  const hidden = await list(remoteOf(app.url, spaceId, stranger.token))
  assert.match(
    hidden,
    new RegExp(`remote: There is no space "${spaceId}", or you may not see it\\.`),
  )
})

test('a deleted space is refused with how to restore it, for its admins', async () => {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Gone' })
  await app.admin.delete(`/v1/spaces/${body.id}`)
  const said = await list(remoteOf(app.url, body.id, app.admin.token))
  assert.match(
    said,
    /remote: The space is deleted\. Restore it with POST \/v1\/spaces\/\w+\/restore\./,
  )
})

test('a token of another reach or without the scope is refused', async () => {
  const make = (more: object) =>
    createToken(app.ctx.store, { userId: app.admin.id, name: 'x', ...more }, app.ctx.now()).secret
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Other' })
  assert.match(
    await list(remoteOf(app.url, spaceId, make({ spaceId: body.id, organizationId: 'acme' }))),
    /There is no space/,
  )

  assert.match(
    await list(remoteOf(app.url, spaceId, make({ scopes: ['comments:read'] }))),
    /remote: This operation needs a token with the scope "content:read"/,
  )
  const scoped = remoteOf(app.url, spaceId, make({ scopes: ['content:read'] }))

  assert.is((await client.git(['ls-remote', scoped])).code, 0)
})

test('clones are refused while those under way fill their part of the disk', async () => {
  const reader = fetchSpools(app.ctx).open(spoolFolder(app.ctx), 'large', async spool => {
    const file = await spool.open()
    ftruncateSync(file.fd, 2 ** 42)
    await file.forget()
    return false
  })

  await until('the answer is there', () => fetchSpools(app.ctx).load.bytes === 2 ** 42 || undefined)
  const remote = remoteOf(app.url, spaceId, app.admin.token)
  const words = /remote: Too many Git transfers are under way\. Try again in a moment\./

  assert.match(await list(remote), words)
  const post = await fetch(`${app.url}/${spaceId}.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.admin.token}`,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
    },
    body: new Uint8Array(Buffer.concat([packet('command=ls-refs'), flushPacket])),
  })

  assert.is(post.status, 200)
  reader.leave()
  assert.not.match(await list(remote), words)
})

test('a reader may fetch, and is told at once that pushing needs a role', async () => {
  const remote = remoteOf(app.url, spaceId, reader.token)
  await client.ok(['clone', '-q', remote, 'read'])
  const { stderr } = await client.git(['push', 'origin', 'HEAD:refs/heads/x'], { in: 'read' })
  assert.match(stderr, /remote: Pushing needs the role "edit" in the space; yours is "read"\./)
})

test('a repository that is damaged is refused with the id of the request', async () => {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Broken' })
  const { spaceRepository } = await import('../../src/actions/repositories/space-repository.ts')
  const { writeFileSync } = await import('node:fs')
  const { dir } = spaceRepository(app.ctx, body.id)

  await app.admin.get(`/v1/spaces/${body.id}/content`)
  writeFileSync(`${dir}/refs/heads/broken`, 'no id\n')
  const said = await list(remoteOf(app.url, body.id, app.admin.token), ['-c', 'protocol.version=0'])

  writeFileSync(`${dir}/refs/heads/broken`, '')
  assert.match(said, /remote: Part of this content is damaged.* The request is \S+\./)
  const { rmSync } = await import('node:fs')

  rmSync(`${dir}/refs/heads/broken`)
})

/** Sends a request as the admin. */
const ask = (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${app.admin.token}`, ...(init.headers as object) }
  return fetch(`${app.url}/${path}`, { ...init, headers })
}

test('what is not the smart protocol has a status of its own', async () => {
  const statuses: [string, RequestInit, number][] = [
    [`${spaceId}.git/info/refs`, {}, 403],
    [`${spaceId}.git/info/refs?service=git-upload-archive`, {}, 403],
    [`${spaceId}.git/HEAD`, {}, 404],
    [`${spaceId}.git/objects/info/packs`, {}, 404],
    [`${spaceId}.git/git-upload-archive`, { method: 'POST' }, 404],
    [`${spaceId}.git/info/refs?service=git-upload-pack`, { method: 'POST' }, 405],
    [`${spaceId}.git/git-upload-pack`, {}, 405],
    [`${spaceId}.git/git-upload-pack`, { method: 'POST', body: 'x' }, 415],
    [`${spaceId}.git/git-upload-pack`, post('x', { 'content-encoding': 'br' }), 415],
    [`${spaceId}.git/git-upload-pack`, post('0003'), 400],
    [`${spaceId}.git/git-upload-pack`, post('0009abc'), 400],
    [`${spaceId}.git/git-upload-pack`, post('x', { 'content-encoding': 'gzip' }), 400],
    [`${spaceId}.git/info/lfs/objects/batch`, { method: 'POST', body: '{}' }, 501],
  ]

  for (const [path, init, status] of statuses) {
    const response = await ask(path, init)
    const text = await response.text()
    assert.is(response.status, status, `${path} ${text}`)
    if (status !== 501) assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    else assert.match(JSON.parse(text).message, /^Git LFS is not offered here/)
  }

  assert.is((await ask(`${spaceId}/HEAD`)).status, 404)
})

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: {
    'content-type': 'application/x-git-upload-pack-request',
    'git-protocol': 'version=2',
    ...headers,
  },
})

test('commands and formats that are not served get an ERR packet', async () => {
  for (const line of [
    'command=object-info',
    'command=bundle-uri',
    'command=fetch\nobject-format=sha256',
  ]) {
    const body = Buffer.concat([...line.split('\n').map(packet), flushPacket]).toString()
    const response = await ask(`${spaceId}.git/git-upload-pack`, post(body))
    assert.is(response.status, 200)
    assert.match(await response.text(), /^00..ERR /)
  }
})

test('a client that waits for "100 Continue" gets it, for a fetch and for a push', async () => {
  const { hostname, port } = new URL(app.url)
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const socket = connect(Number(port), hostname)
    let said = ''
    socket.on('data', chunk => {
      said += chunk
    })
    socket.write(
      `POST /${spaceId}.git/${service} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.admin.token}\r\n` +
        `Content-Type: application/x-${service}-request\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`,
    )
    await until('the server asks for the body', () =>
      said.includes('100 Continue') ? true : undefined,
    )
    socket.write('0000')
    await until('the server answers', () => (said.includes('HTTP/1.1 200') ? true : undefined))
    socket.destroy()
  }
})

test('twelve clones of a user at once all succeed', async () => {
  const remote = remoteOf(app.url, spaceId, reader.token)
  const clones = Array.from({ length: 12 }, (_, at) =>
    client.git(['clone', '-q', remote, `many-${at}`]),
  )
  for (const { code, stderr } of await Promise.all(clones)) assert.is(code, 0, stderr)
})

test('the ninth transfer of a user waits for one to end, and a full line is refused', async () => {
  const { takeTurn } = await import('../../src/transfers/turns.ts')
  const ends = await Promise.all(Array.from({ length: 8 }, () => takeTurn(app.ctx, reader.id)))
  const remote = remoteOf(app.url, spaceId, reader.token)
  const waiting = client.git(['clone', '-q', remote, 'waiting'])
  const gone = new AbortController()
  const line = Array.from({ length: 32 }, () =>
    takeTurn(app.ctx, reader.id, gone.signal).catch(() => undefined),
  )
  const refused = await takeTurn(app.ctx, reader.id).catch(error => error)

  assert.is(refused.kind, 'too_many')
  assert.match(refused.message, /^Too many Git transfers are under way/)
  assert.is(refused.refusal.retryAfter, 5)
  gone.abort()
  await Promise.all(line)
  for (const end of ends) end()
  const { code, stderr } = await waiting

  assert.is(code, 0, stderr)
})

test.run()
