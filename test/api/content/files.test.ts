import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { putMember } from '../../../src/store/people/organizations.ts'
import { updateSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000300000002', 'hex')
const film = randomBytes(3_000_000)
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>1</script></svg>'
const odd = 'a "b"; ü\u{1F600}.txt'
const files = {
  'README.md': '# One\n',
  'a.png': png,
  'b.html': '<script>1</script>',
  'c.svg': svg,
  'd.pdf': '%PDF-1.7',
  'e.png': '<script>1</script>',
  'f.txt': 'grüße\n',
  'film.mp4': film,
  'nothing.bin': '',
  [odd]: 'odd',
}
const { api, space } = await makeSpace(app, files)

test.after(() => app.stop())

type File = {
  id: string
  name: string
  size: number
  contentType: string
  downloadURL: string
  dimensions?: object
}
const list = async (): Promise<Map<string, File>> => {
  const { body } = await app.admin.get(`${api}/content/files`)
  return new Map(body.items.map((file: File) => [file.name, file]))
}
const download = async (name: string, headers: Record<string, string> = {}, method = 'GET') => {
  const url = (await list()).get(name)?.downloadURL ?? ''
  const response = await fetch(url, { headers, method })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

test('files are listed with their size, type and dimensions', async () => {
  const found = await list()
  assert.equal([...found.keys()].sort(), Object.keys(files).slice(1).sort())
  const { size, contentType, dimensions } = found.get('a.png') as File
  assert.equal(
    { size, contentType, dimensions },
    {
      size: 24,
      contentType: 'image/png',
      dimensions: { width: 3, height: 2 },
    },
  )
  assert.equal(found.get('c.svg')?.dimensions, { width: 20, height: 10 })
  assert.is(found.get('f.txt')?.dimensions, undefined)
  assert.is(found.get('nothing.bin')?.size, 0)
})

test('a list is paged in the order of paths, and a cursor is valid only for its list', async () => {
  const names: string[] = []
  let path = `${api}/content/files?limit=4`
  for (let pages = 0; pages < 5; pages++) {
    const { body } = await app.admin.get(path)
    names.push(...body.items.map((file: File) => file.name))
    if (!body.next) break
    path = `${api}/content/files?limit=4&page=${body.next.page}`
  }

  assert.equal(names, Object.keys(files).slice(1).sort())
  const { body } = await app.admin.get(`${api}/content/files?limit=4`)
  const other = await app.admin.get(`${api}/revisions?page=${body.next.page}`)

  assert.is(other.status, 400)
  assert.is((await app.admin.get(`${api}/content/files?page=x.y`)).status, 400)
  assert.is((await app.admin.get(`${api}/content/files?limit=1001`)).status, 400)
})

test('a file is read by id', async () => {
  const file = (await list()).get('a.png') as File
  const { status, body } = await app.admin.get(`${api}/content/files/${file.id}`)
  assert.is(status, 200)
  assert.equal(body, file)
  assert.is((await app.admin.get(`${api}/content/files/none`)).status, 404)
  assert.is((await app.anonymous.get(`${api}/content/files/${file.id}`)).status, 401)
})

test('the bytes of a file are those in Git', async () => {
  for (const [name, content] of Object.entries(files).slice(1)) {
    const { status, bytes, headers } = await download(name)
    assert.is(status, 200, name)
    assert.ok(bytes.equals(Buffer.from(content)), name)
    assert.is(headers.get('content-length'), String(bytes.length))
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    assert.is(headers.get('cache-control'), 'private, no-cache')
  }
})

test('active content is sent as a download, and content of a false type as unknown', async () => {
  const told = async (name: string) => {
    const { headers } = await download(name)
    return [headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]
  }

  assert.equal(await told('a.png'), ['image/png', 'inline'])
  assert.equal(await told('b.html'), ['application/octet-stream', 'attachment'])
  assert.equal(await told('c.svg'), ['image/svg+xml', 'attachment'])
  assert.equal(await told('d.pdf'), ['application/pdf', 'attachment'])
  assert.equal(await told('e.png'), ['application/octet-stream', 'attachment'])
  assert.equal(await told('f.txt'), ['text/plain; charset=utf-8', 'inline'])
  assert.equal(await told('film.mp4'), ['video/mp4', 'inline'])
  assert.equal(await told('nothing.bin'), ['application/octet-stream', 'attachment'])
})

test('a name with any characters is sent in two encodings and does not break the header', async () => {
  const { headers } = await download(odd)
  assert.is(
    headers.get('content-disposition'),
    `inline; filename="a _b_; ___.txt"; filename*=UTF-8''a%20%22b%22%3B%20%C3%BC%F0%9F%98%80.txt`,
  )
})

test('ranges of a small and of a large file are served', async () => {
  for (const [name, content] of [
    ['f.txt', Buffer.from(files['f.txt'])] as const,
    ['film.mp4', film] as const,
  ]) {
    const size = content.length
    const part = async (range: string) => {
      const { status, bytes, headers } = await download(name, { range })
      return { status, bytes, range: headers.get('content-range') }
    }
    const middle = await part('bytes=2-4')
    assert.equal([middle.status, middle.range], [206, `bytes 2-4/${size}`])
    assert.ok(middle.bytes.equals(content.subarray(2, 5)))
    const end = await part('bytes=-3')

    assert.equal([end.status, end.range], [206, `bytes ${size - 3}-${size - 1}/${size}`])
    assert.ok(end.bytes.equals(content.subarray(-3)))
    assert.ok((await part('bytes=5-')).bytes.equals(content.subarray(5)))
    assert.ok((await part('bytes=0-99999999')).bytes.equals(content))

    for (const wrong of [
      `bytes=${size}-`,
      'bytes=4-2',
      'bytes=-',
      'bytes=-0',
      `bytes=${'0-,'.repeat(500)}`,
    ]) {
      const { status, range } = await part(wrong)
      assert.equal([status, range], [416, `bytes */${size}`], wrong)
    }

    assert.is((await part('lines=1-2')).status, 200)
  }
  assert.is((await download('nothing.bin', { range: 'bytes=0-0' })).status, 416)
})

test('an unchanged file is not sent again, and HEAD has no body', async () => {
  const etag = (await download('f.txt')).headers.get('etag') ?? ''
  assert.match(etag, /^"[0-9a-f]{40}"$/)
  const again = await download('f.txt', { 'if-none-match': etag })
  assert.equal([again.status, again.bytes.length], [304, 0])
  assert.is((await download('f.txt', { range: 'bytes=0-1', 'if-range': etag })).status, 206)
  assert.is((await download('f.txt', { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200)

  for (const name of ['f.txt', 'film.mp4']) {
    const head = await download(name, {}, 'HEAD')
    assert.equal([head.status, head.bytes.length], [200, 0])
    assert.is(
      head.headers.get('content-length'),
      String(Buffer.from(files[name as 'f.txt']).length),
    )
  }
})

test('a forged URL and a URL of another file are refused', async () => {
  const found = await list()
  const url = new URL(found.get('f.txt')?.downloadURL ?? '')
  const signature = url.searchParams.get('signature') ?? ''
  const status = async (change: (url: URL) => void) => {
    const changed = new URL(url)
    change(changed)
    return (await fetch(changed)).status
  }
  const oid = new URL(found.get('a.png')?.downloadURL ?? '').pathname.split('/')[3] as string

  assert.is(await status(() => {}), 200)
  assert.is(await status(url => url.searchParams.set('signature', 'x'.repeat(22))), 404)
  assert.is(await status(url => url.searchParams.delete('signature')), 404)
  url.searchParams.set('signature', 'x')
  assert.match(await (await fetch(url)).text(), /at this URL, or you may no longer read it/)
  url.searchParams.set('signature', signature)
  assert.is(await status(url => url.searchParams.append('signature', 'x')), 404)
  assert.is(await status(url => url.searchParams.set('expires', '9999999999')), 404)
  assert.is(await status(url => url.searchParams.delete('expires')), 404)
  assert.is(
    await status(url => {
      url.pathname = url.pathname.replace('f.txt', 'f.html')
    }),
    404,
  )

  assert.is(
    await status(url => {
      url.pathname = url.pathname.replace(/[0-9a-f]{40}/, oid)
    }),
    404,
  )

  assert.is(
    await status(url => {
      url.pathname = url.pathname.replace(/[0-9a-f]{40}/, 'HEAD')
    }),
    404,
  )
})

test('a URL is valid for at least an hour and then expires', async () => {
  const url = (await list()).get('f.txt')?.downloadURL ?? ''
  const real = Date.now
  try {
    Date.now = () => real() + 59 * 60_000
    assert.is((await fetch(url)).status, 200)
    Date.now = () => real() + 2 * 3_600_000
    const over = await fetch(url)

    assert.is(over.status, 403)
    assert.match(
      ((await over.json()) as { error: { message: string } }).error.message,
      /Read the file again/,
    )
  } finally {
    Date.now = real
  }
})

test('a URL is valid while its user may read the space', async () => {
  const bob = app.user('Bob', 'read')
  const { body } = await bob.get(`${api}/content/files`)
  const url: string = body.items.find((file: File) => file.name === 'f.txt').downloadURL
  const first = await fetch(url)

  assert.is(first.status, 200)
  const cached = { 'if-none-match': first.headers.get('etag') ?? '' }

  assert.is((await fetch(url, { headers: cached })).status, 304)
  app.ctx.store.run(query.deleteFrom('member').where('user_id', '=', 'bob'))
  assert.is((await fetch(url)).status, 404)
  assert.is((await fetch(url, { headers: cached })).status, 404)
  putMember(app.ctx.store, 'acme', 'bob', 'read', app.ctx.now().toISOString())
  assert.is((await fetch(url)).status, 200)
  app.ctx.store.run(query.updateTable('member').set({ disabled: 1 }).where('user_id', '=', 'bob'))
  assert.is((await fetch(url)).status, 404)
})

test('a URL cannot be changed into one of another user', async () => {
  app.user('Cleo', 'read')
  const own = (await list()).get('f.txt')?.downloadURL ?? ''
  for (const change of [
    (url: URL) => url.searchParams.set('user', 'cleo'),
    (url: URL) => url.searchParams.delete('user'),
    (url: URL) => url.searchParams.append('user', 'ada'),
    (url: URL) => url.searchParams.set('expires', 'public'),
    (url: URL) => url.searchParams.delete('expires'),
  ]) {
    const url = new URL(own)
    change(url)
    assert.is((await fetch(url)).status, 404, url.search)
  }
})

test('readers get URLs of their own, never those of another user', async () => {
  const dora = app.user('Dora', 'read')
  for (const path of ['/content', '/content/files', '/content']) {
    assert.not((await dora.get(`${api}${path}`)).text.includes('user=ada'), path)
    assert.not((await app.admin.get(`${api}${path}`)).text.includes('user=dora'), path)
  }
})

test('a deleted file stays readable at its URL, as in the history', async () => {
  const { id, downloadURL } = (await list()).get('b.html') as File
  const changes = [{ operation: 'delete_file', file: id }]
  assert.is((await app.admin.post(`${api}/content`, { changes })).status, 200)
  assert.is((await fetch(downloadURL)).status, 200)
})

test('the URL of a file in a public or unlisted space does not expire while the space is one', async () => {
  updateSpace(app.ctx.store, space.id, { visibility: 'public' })
  const url = (await list()).get('f.txt')?.downloadURL ?? ''
  assert.not.match(url, /expires/)
  assert.is((await fetch(url)).headers.get('cache-control'), 'public, max-age=3600')
  updateSpace(app.ctx.store, space.id, { visibility: 'unlisted' })
  assert.is((await list()).get('f.txt')?.downloadURL, url)
  assert.is((await fetch(url)).status, 200)
  updateSpace(app.ctx.store, space.id, { visibility: 'private' })
  assert.is((await fetch(url)).status, 403)
  updateSpace(app.ctx.store, space.id, { deleted_at: new Date().toISOString() })
  assert.is((await fetch(url)).status, 404)
})

test.run()
