import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Encoding, ReadyAnswer } from '../../src/http/sending/ready-answer.ts'

const text = 'A text that repeats. '.repeat(500)
const unpack: Record<Encoding, (bytes: Buffer) => string> = {
  br: bytes => brotliDecompressSync(bytes).toString(),
  gzip: bytes => gunzipSync(bytes).toString(),
  identity: bytes => bytes.toString(),
}

const asking = (encoding: string, headers = {}) =>
  ({ method: 'GET', headers: { 'accept-encoding': encoding, ...headers } }) as IncomingMessage

const encodedAnswer = () =>
  new ReadyAnswer({
    status: 200,
    etag: 'x',
    type: 'text/plain',
    bytes: Buffer.from(text),
    headers: { Vary: 'Accept-Encoding' },
    isEncoded: true,
  })

const orders: Encoding[][] = [
  ['br', 'gzip', 'identity'],
  ['identity', 'br', 'gzip'],
  ['gzip', 'identity', 'br'],
]

for (const order of orders)
  test(`each encoding is made once, in the order ${order.join(', ')}, and counts from then on`, async () => {
    const answer = encodedAnswer()
    const seen: number[] = []
    answer.onWeight = () => seen.push(answer.weight)

    for (const encoding of order) {
      assert.is(answer.choose(asking(encoding)), undefined)
      await Promise.all([answer.encode(encoding), answer.encode(encoding)])
      await answer.encode(encoding)
      const sent = answer.choose(asking(encoding))
      assert.is(unpack[encoding](sent?.bytes ?? Buffer.alloc(0)), text)
      assert.is(sent?.head.includes('Content-Encoding'), encoding !== 'identity')
      assert.is(answer.choose(asking(encoding))?.bytes, sent?.bytes)
    }

    assert.is(seen.length, 3)
    assert.ok(seen[0]! < seen[1]! && seen[1]! < seen[2]!, seen.join(' '))
  })

test('plain bytes do not stay if every client asks for others', async () => {
  const answer = encodedAnswer()
  const before = answer.weight
  await answer.encode('br')
  assert.ok(before - answer.weight > text.length * 0.9)
})

test('HEAD has the headers of GET, a known ETag those of a 304, and other answers no 304', () => {
  const bytes = Buffer.from('{}')
  const answer = new ReadyAnswer({ status: 200, etag: 'x', bytes, headers: {} })
  const got = answer.choose(asking('br'))
  const head = answer.choose({ ...asking('br'), method: 'HEAD' } as IncomingMessage)
  assert.is(got?.bytes, bytes)
  assert.equal([head?.head, head?.bytes], [got?.head, undefined])

  const known = asking('br', { 'if-none-match': '"x"' })
  const unchanged = answer.choose(known)
  assert.is(unchanged?.status, 304)
  assert.not(unchanged?.head.includes('Content-Type'))
  const absent = new ReadyAnswer({ status: 404, etag: 'x', bytes, headers: {} })
  assert.is(absent.choose(known)?.status, 404)
})

test.run()
