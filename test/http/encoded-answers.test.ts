import { get } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'

type Reply = { status: number; headers: Record<string, string | undefined>; bytes: Buffer }

const app = await startApp()
test.after(() => app.stop())

/** Reads an address as it is sent, without decoding. */
const read = (path: string, headers: Record<string, string>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${app.admin.token}`
    get(app.url + path, { headers: { authorization, ...headers } }, async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const { statusCode: status = 0 } = response
      resolve({
        status,
        headers: response.headers as Reply['headers'],
        bytes: Buffer.concat(chunks),
      })
    }).on('error', reject)
  })

const lines = Array.from({ length: 1000 }, (_, n) => `[Link ${n}](missing-${n}.md)\n\n`).join('')

test('a large answer is sent in the encoding that the client prefers, whether it is kept or not', async () => {
  const { api } = await makeSpace(app, { 'README.md': `# Start\n\n${lines}` })

  // The first read finds the commit, which changes `updatedAt` of the space.
  await app.admin.get(`${api}/content/pages`)

  for (const path of [`${api}/links`, `${api}/content/path/readme?format=markdown`]) {
    const plain = await read(path, {})
    assert.equal([plain.status, plain.headers['content-encoding']], [200, undefined])
    assert.is(plain.headers.vary, 'Accept-Encoding')
    assert.ok(plain.bytes.length > 16_384, String(plain.bytes.length))

    // Twice: the second reply may be a kept one.
    for (const accepted of ['br, gzip', 'gzip', 'br;q=0, gzip', 'gzip', 'br', 'identity']) {
      const { headers, bytes } = await read(path, { 'accept-encoding': accepted })
      const encoding = headers['content-encoding']
      const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? '']
      const expected = /^br(?!;)/.test(accepted) ? 'br' : /gzip/.test(accepted) ? 'gzip' : undefined

      assert.is(encoding, expected, `${path} ${accepted}`)
      assert.is(String(decode ? decode(bytes) : bytes), String(plain.bytes))
      assert.is(headers['content-length'], String(bytes.length))
      assert.is(headers.etag, plain.headers.etag)
      if (decode) assert.ok(bytes.length < plain.bytes.length / 3, `${path} ${bytes.length}`)
    }

    const etag = plain.headers.etag
    if (etag === undefined) continue
    const same = await read(path, { 'if-none-match': etag, 'accept-encoding': 'br' })
    assert.equal([same.status, same.bytes.length], [304, 0])
  }
})

test('a small answer is sent as it is', async () => {
  const { api } = await makeSpace(app, { 'README.md': '# Start\n' })
  const { headers } = await read(`${api}/content/path/readme`, { 'accept-encoding': 'br' })
  assert.equal([headers['content-encoding'], headers.vary], [undefined, undefined])
})

test.run()
