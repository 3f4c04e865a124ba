import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import {
  removeExpiredUploads,
  removeLostUploads,
} from '../../../src/actions/uploads/remove-uploads.ts'
import { blobId } from '../../../src/content/edit/draft.ts'
import { updateUpload } from '../../../src/store/spaces/uploads.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { clientFor } from '../../support/http/client.ts'
import { until } from '../../support/until.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

const megabyte = 1024 ** 2

let app: App
let space: Space
let writer: Actor

test.before(async () => {
  app = await startApp({ STEMMA_MAX_UPLOAD_MB: '3' })
  space = await makeSpace(app)
  writer = app.user('Wanda', 'edit')
})
test.after(() => app.stop())

const filesIn = (folder: string): string[] =>
  existsSync(join(app.dataDir, folder)) ? readdirSync(join(app.dataDir, folder)) : []

const announce = (by: Actor, size: number, name = 'picture.png') =>
  by.post('/v1/orgs/acme/storage/upload', {
    file: { name, type: 'image/png', size },
    kind: 'import_file',
  })

const put = (url: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'PUT',
    body: Buffer.from(body),
    headers: { connection: 'close', ...headers },
  })

/** Announces bytes and sends them; returns the key. */
async function upload(bytes: Uint8Array, by = writer): Promise<string> {
  const { body } = await announce(by, bytes.length)
  assert.is((await put(body.url, bytes)).status, 204)
  return body.key
}

const use = (key: string, name: string, by = writer) =>
  by.post(`/v1/spaces/${space.id}/content`, {
    changes: [{ operation: 'insert_files', files: [{ name, upload: key }] }],
  })

const contentOf = async (path: string): Promise<Buffer> => {
  const dir = spaceRepository(app.ctx, space.id).dir
  return gitOutsideBytes(dir, `${await space.head()}:${path}`)
}

const gitOutsideBytes = (dir: string, name: string): Buffer =>
  Buffer.from(gitOutside(dir, ['rev-parse', name]).trim())

for (const [what, size] of [
  ['small', 1000],
  ['large', 2 * megabyte],
] as const)
  test(`the bytes of a ${what} file come into a space as they were sent`, async () => {
    const bytes = randomBytes(size)
    const key = await upload(bytes)
    const reply = await use(key, `${what} one.png`)
    assert.is(reply.status, 200, reply.text)
    const path = `.gitbook/assets/${what} one.png`
    assert.is(String(await contentOf(path)), blobId(bytes))
    assert.equal(filesIn('uploads'), [])

    const again = await use(key, 'again.png')
    assert.is(again.status, 400)
    assert.match(again.body.error.message, /You have no upload .* already used it/)
  })

test('the official client gets an address', async () => {
  const { client } = clientFor(app, writer)
  const { data } = await client.orgs.generateStorageUploadUrl('acme', {
    file: { name: 'a.txt', type: 'text/plain', size: 3 },
    kind: 'import_file' as never,
  })
  assert.is(data.object, 'storage-signed-url')
  assert.is((await put(data.url, Buffer.from('abc'))).status, 204)
  assert.is((await use(data.key, 'a.txt')).status, 200)
})

test('pages of the same batch link to an uploaded file by its ref', async () => {
  const key = await upload(randomBytes(1.5 * megabyte))
  const reply = await writer.post(`/v1/spaces/${space.id}/content`, {
    changes: [
      { operation: 'insert_files', files: [{ name: 'map.png', ref: 'map', upload: key }] },
      { operation: 'insert_page', title: 'Map', document: { markdown: '![A map](./map)\n' } },
    ],
  })
  assert.is(reply.status, 200, reply.text)
  const { dir } = spaceRepository(app.ctx, space.id)
  const text = gitOutside(dir, ['cat-file', 'blob', `${await space.head()}:map.md`])
  assert.match(text, /!\[A map\]\(\.gitbook\/assets\/map\.png\)/)
})

test('a file with the same name is not overwritten, and the same bytes are not stored twice', async () => {
  const [one, two] = [randomBytes(1.2 * megabyte), randomBytes(1.2 * megabyte)]
  await use(await upload(one), 'twice.png')
  await use(await upload(two), 'twice.png')
  const before = await space.head()
  await use(await upload(one), 'twice.png')
  assert.is(await space.head(), before)
  assert.is(String(await contentOf('.gitbook/assets/twice.png')), blobId(one))
  assert.is(String(await contentOf('.gitbook/assets/twice-1.png')), blobId(two))
})

test('an edit that fails keeps its upload, and leaves no object in the repository', async () => {
  const bytes = randomBytes(2 * megabyte)
  const key = await upload(bytes)
  const failing = await writer.post(`/v1/spaces/${space.id}/content`, {
    changes: [
      { operation: 'insert_files', files: [{ name: 'kept.png', upload: key }] },
      { operation: 'delete_page', page: 'nope' },
    ],
  })
  assert.is(failing.status, 404, failing.text)
  const { dir } = spaceRepository(app.ctx, space.id)
  assert.throws(() => gitOutside(dir, ['cat-file', '-e', blobId(bytes)]))
  assert.is((await use(key, 'kept.png')).status, 200)
})

test('a file of more than 1 MB gets no name that is special to Git', async () => {
  const key = await upload(randomBytes(1.1 * megabyte))
  for (const name of ['.gitattributes', 'GITATT~1', '.gitmodules']) {
    const reply = await use(key, name)
    assert.is(reply.status, 400, reply.text)
  }
})

test('what is announced has to fit', async () => {
  for (const [status, file, kind] of [
    [413, { name: 'a', type: 'a/b', size: 3 * megabyte + 1 }],
    [400, { name: 'a', type: 'a/b', size: 0 }],
    [400, { name: 'a', type: 'a/b', size: 1.5 }],
    [400, { name: 'a', type: 'a/b', size: -1 }],
    [400, { name: '', type: 'a/b', size: 1 }],
    [400, { name: 'a\nb', type: 'a/b', size: 1 }],
    [400, { name: 'a', size: 1 }],
    [400, { name: 'a', type: 'a/b', size: 1 }, 'customization_font'],
    [201, { name: `${'ü'.repeat(300)} "'../.png`, type: 'a/b', size: 1 }],
  ] as const) {
    const reply = await writer.post('/v1/orgs/acme/storage/upload', {
      file,
      kind: kind ?? 'import_file',
    })
    assert.is(reply.status, status, `${JSON.stringify(file)} ${reply.text}`)
  }
})

test('an address takes exactly the announced bytes', async () => {
  const { body } = await announce(writer, 100)
  const refused = async (status: number, bytes: number, headers = {}) => {
    const reply = await put(body.url, randomBytes(bytes), headers)
    assert.is(reply.status, status, await reply.text())
  }
  await refused(400, 99)
  await refused(400, 101)
  await refused(400, 0)
  await refused(415, 100, { 'content-encoding': 'gzip' })
  const early = await use(body.key, 'early.png')
  assert.is(early.status, 400)
  assert.match(early.body.error.message, /has not arrived/)
  assert.is((await put(body.url, randomBytes(100))).status, 204)
  await refused(409, 100)
})

test('a body without a length counts, and one that is cut leaves the address open', async () => {
  const { body } = await announce(writer, 200_000)
  const begin = (bytes: number) => {
    const outgoing = request(body.url, { method: 'PUT', agent: false })
    outgoing.write(randomBytes(bytes))
    return outgoing
  }
  const send = (bytes: number) =>
    new Promise<number>((resolve, reject) =>
      begin(bytes)
        .on('response', reply => resolve(reply.resume().statusCode ?? 0))
        .on('error', reject)
        .end(),
    )
  const parts = (count: number) =>
    until(`${count} parts`, () => filesIn('tmp').length === count || undefined)

  const cut = begin(100_000).on('error', () => {})
  await parts(1)
  cut.destroy()
  await parts(0)
  assert.is(await send(200_001), 400)
  assert.is(await send(199_999), 400)
  assert.is(await send(200_000), 204)
  assert.equal(filesIn('tmp'), [])
})

test('a file is sent again while an earlier request for it is still open, which ends', async () => {
  const { body } = await announce(writer, 100_000)
  const bytes = randomBytes(100_000)
  const outgoing = request(body.url, {
    method: 'PUT',
    agent: false,
    headers: { 'content-length': 100_000, expect: '100-continue' },
  })
  const answered = new Promise<number>(resolve =>
    outgoing.on('response', reply => resolve(reply.resume().statusCode ?? 0)),
  )
  outgoing.on('error', () => {}).flushHeaders()
  // Asked to go on, the first one has begun. Its connection then says nothing more, like a dead one.
  await new Promise(resolve => outgoing.on('continue', resolve))
  outgoing.write(randomBytes(50_000))
  assert.is((await put(body.url, bytes)).status, 204)
  assert.is(await answered, 409)
  assert.equal(filesIn('tmp'), [])
  assert.is((await use(body.key, 'again.png')).status, 200)
  assert.is(String(await contentOf('.gitbook/assets/again.png')), blobId(bytes))
})

test('a request at the moment in which another one is cut takes the file', async () => {
  for (let n = 0; n < 5; n++) {
    const { body } = await announce(writer, 100_000)
    const outgoing = request(body.url, { method: 'PUT', agent: false })
    outgoing.on('error', () => {}).write(randomBytes(50_000 + n))
    await until('a part', () => filesIn('tmp').length === 1 || undefined)
    outgoing.destroy()
    assert.is((await put(body.url, randomBytes(100_000))).status, 204)
    await until('no part', () => filesIn('tmp').length === 0 || undefined)
  }
})

test('the same bytes sent again are answered as the first time, others refused', async () => {
  const bytes = randomBytes(100_000)
  const { body } = await announce(writer, bytes.length)
  for (let n = 0; n < 2; n++) assert.is((await put(body.url, bytes)).status, 204)
  const others = Buffer.from(bytes)
  others[99_999]! ^= 1
  assert.is((await put(body.url, others)).status, 409)
  assert.is((await put(body.url, bytes.subarray(1))).status, 400)
  assert.equal(filesIn('tmp'), [])

  assert.is((await use(body.key, 'same.png')).status, 200)
  assert.is(String(await contentOf('.gitbook/assets/same.png')), blobId(bytes))
  assert.is((await put(body.url, bytes)).status, 404)
})

test('several requests that send one file at once leave one file', async () => {
  const bytes = randomBytes(500_000)
  const { body } = await announce(writer, bytes.length)
  const replies = await Promise.all([1, 2, 3, 4].map(() => put(body.url, bytes)))
  const statuses = replies.map(({ status }) => status)
  assert.ok(statuses.includes(204), String(statuses))
  assert.ok(
    statuses.every(status => status === 204 || status === 409),
    String(statuses),
  )
  assert.equal(filesIn('tmp'), [])
  assert.is((await use(body.key, 'once.png')).status, 200)
})

test('addresses that were not given out, or have expired, take nothing', async () => {
  const { body } = await announce(writer, 10)
  const bytes = randomBytes(10)
  const changed = body.url.replace(/signature=./, (found: string) =>
    found.endsWith('A') ? 'signature=B' : 'signature=A',
  )
  for (const url of [
    changed,
    body.url.replace(/\?.*/, ''),
    `${body.url}&signature=x`,
    `${app.url}/uploads/..%2Fkey?signature=x`,
    `${app.url}/uploads/${'0'.repeat(20)}?signature=x`,
  ])
    assert.is((await put(url, bytes)).status, 404, url)
  assert.is((await fetch(body.url)).status, 404)

  updateUpload(app.ctx.store, body.key.slice(8), { expires_at: '2020-01-01T00:00:00.000Z' })
  assert.is((await put(body.url, bytes)).status, 403)
})

test('an upload serves its maker alone, in its organization', async () => {
  const key = await upload(randomBytes(10))
  const other = app.user('Otto', 'edit')
  for (const wrong of [key, 'uploads/', 'nope', `../${key}`, 'uploads/../key']) {
    const reply = await use(wrong, 'mine.png', other)
    assert.is(reply.status, 400, reply.text)
  }
  assert.is((await use(key, 'mine.png')).status, 200)
})

test('a user who lost the membership or the token meanwhile sends nothing', async () => {
  const leaving = app.user('Lea', 'edit')
  const { body } = await announce(leaving, 10)
  const other = await announce(leaving, 10)
  await leaving.request('DELETE', '/v1/user/tokens')
  assert.is((await put(body.url, randomBytes(10))).status, 403)

  const removed = app.user('Rudi', 'edit')
  const { body: his } = await announce(removed, 10)
  await app.admin.delete(`/v1/orgs/acme/members/${removed.id}`)
  assert.is((await put(his.url, randomBytes(10))).status, 403)
  assert.is(other.status, 201)
})

test('a user who may not edit may not use an upload', async () => {
  const reader = app.user('Rita', 'read')
  const { body } = await announce(reader, 10)
  await put(body.url, randomBytes(10))
  assert.is((await use(body.key, 'x.png', reader)).status, 403)
})

test('the uploads of a person that are not used are limited in number and bytes', async () => {
  const heavy = app.user('Hugo', 'edit')
  for (let n = 0; n < 10; n++) assert.is((await announce(heavy, 3 * megabyte)).status, 201)
  const beyond = await announce(heavy, 1)
  assert.is(beyond.status, 429, beyond.text)

  const many = app.user('Mona', 'edit')
  for (let n = 0; n < 100; n++) await announce(many, 1)
  assert.is((await announce(many, 1)).status, 429)
})

test('unused uploads are removed', async () => {
  const key = await upload(randomBytes(10))
  const id = key.slice(8)
  await removeExpiredUploads(app.ctx)
  assert.ok(filesIn('uploads').includes(id))
  updateUpload(app.ctx.store, id, { expires_at: '2020-01-01T00:00:00.000Z' })
  const late = await use(key, 'late.png')
  assert.is(late.status, 400)
  assert.match(late.body.error.message, /no longer there/)
  await removeExpiredUploads(app.ctx)
  assert.not.ok(filesIn('uploads').includes(id))

  writeFileSync(join(app.dataDir, 'uploads', 'lost'), 'x')
  await removeLostUploads(app.ctx)
  assert.not.ok(filesIn('uploads').includes('lost'))
})

test.run()
