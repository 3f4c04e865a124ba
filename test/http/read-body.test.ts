import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Fault } from '../../src/errors.ts'
import { BodyBudget } from '../../src/http/limits/body-budget.ts'
import { hangUpOnUnread } from '../../src/http/limits/hang-up.ts'
import { expectsContinue, readBody } from '../../src/http/receiving/read-body.ts'

type Options = { budget?: BodyBudget; limit?: number; grace?: number }

/**
 * A server that answers with the length of the received body, or with the reason of the refusal.
 */
async function listen({
  budget = new BodyBudget(),
  limit = 1_000_000,
  grace = 10_000,
}: Options = {}) {
  const server = createServer(async (req, res) => {
    hangUpOnUnread(req, res)
    if (req.url === '/refuse') await setImmediate()
    const read =
      req.url === '/refuse'
        ? Promise.reject(new Fault('role_required', 'Not you.', undefined, { label: 'access' }))
        : readBody(req, res, { budget, userId: 'ada', limit, grace })

    await read.then(
      bytes =>
        res.end(JSON.stringify({ length: bytes.length, first: bytes[0], last: bytes.at(-1) })),
      (error: Fault) => {
        res.statusCode = 400
        res.end(error.refusal?.label ?? error.kind)
      },
    )
  })

  server.on('checkContinue', (req, res) => {
    expectsContinue(req)
    server.emit('request', req, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const post = (body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers }).then(reply =>
      reply.text(),
    )

  const stop = () => {
    server.close()
    server.closeAllConnections()
  }

  return { budget, port, post, stop }
}

/** Sends bytes, and returns everything received until the other end closes. */
function talk(
  port: number,
  ...parts: (string | Buffer)[]
): { socket: Socket; text: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  for (const part of parts) socket.write(part)
  let said = ''
  socket.on('data', data => {
    said += data
  })
  socket.on('error', () => {})
  return { socket, text: new Promise(resolve => socket.once('close', () => resolve(said))) }
}

const chunkedHead = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n'

test('every body arrives as sent, in chunks of any size and with any encoding', async () => {
  const { budget, port, post, stop } = await listen()
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 30_000 }),
        fc.integer({ min: 1, max: 9_000 }),
        async (bytes, size) => {
          const expected = JSON.stringify({
            length: bytes.length,
            first: bytes[0],
            last: bytes.at(-1),
          })

          assert.is(await post(bytes), expected)
          assert.is(await post(gzipSync(bytes), { 'content-encoding': 'gzip' }), expected)
          assert.is(await post(deflateSync(bytes), { 'content-encoding': 'deflate' }), expected)
          const parts: Buffer[] = []

          for (let at = 0; at < bytes.length; at += size) {
            const part = Buffer.from(bytes.subarray(at, at + size))
            parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
          }

          const { text } = talk(
            port,
            `${chunkedHead}Connection: close\r\n\r\n`,
            ...parts,
            '0\r\n\r\n',
          )

          assert.ok((await text).includes(expected))
        },
      ),
      { numRuns: 15 },
    )
    assert.is(budget.held, 0)
  } finally {
    stop()
  }
})

test('an oversized body is refused as early as possible: by length, bytes or ratio', async () => {
  const { budget, port, post, stop } = await listen({ limit: 500_000 })
  try {
    assert.is(await post(Buffer.alloc(500_001)), 'body_size')
    assert.is(
      await post(gzipSync(Buffer.alloc(500_001)), { 'content-encoding': 'gzip' }),
      'body_ratio',
    )
    const noise = Buffer.from(Array.from({ length: 600_000 }, (_, i) => (i * i * 31) % 251))
    assert.is(
      await post(gzipSync(noise, { level: 1 }), { 'content-encoding': 'gzip' }),
      'body_size',
    )
    assert.is(await post('x', { 'content-encoding': 'gzip' }), 'invalid')
    for (const encoding of ['br', 'zstd', 'gzip, gzip'])
      assert.is(await post('x', { 'content-encoding': encoding }), 'unsupported_type')
    const { text } = talk(
      port,
      `${chunkedHead}\r\n`,
      `7a120\r\n${'a'.repeat(500_000)}\r\n5\r\n12345\r\n`,
    )

    assert.match(await text, /Connection: close[\s\S]*body_size/)
    assert.is(budget.held, 0)
  } finally {
    stop()
  }
})

test('bodies count against a share and a budget until their response, even endless ones', async () => {
  const budget = new BodyBudget(3_000_000, 1_000_000)
  const { port, post, stop } = await listen({ budget })
  try {
    const half = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n${'a'.repeat(800_000)}`
    const { socket } = talk(port, half)
    while (budget.held < 800_000) await new Promise(resolve => setTimeout(resolve, 5))
    assert.is(await post(Buffer.alloc(300_000)), 'body_share')
    const other = budget.open('bob', { inflated: false })

    other.add(900_000)
    budget.open('cy', { inflated: true }).add(900_000)
    const late = budget.open('dan', { inflated: false })

    assert.throws(
      () => late.add(900_000),
      (error: Fault) => error.kind === 'unavailable',
    )
    socket.destroy()
    while (budget.held > 2_000_000) await new Promise(resolve => setTimeout(resolve, 5))
    late.add(900_000)
    assert.match(await post(Buffer.alloc(1_000)), /1000/)
  } finally {
    stop()
  }
})

test('a user has a limited number of bodies in progress', () => {
  const budget = new BodyBudget()
  const holds = Array.from({ length: 100 }, () => budget.open('ada', { inflated: true }))
  assert.throws(() => budget.open('ada', { inflated: false }), /still being sent/)
  budget.open('bob', { inflated: false }).release()
  holds[0]?.arrived()

  for (const hold of [...holds, budget.open('ada', { inflated: false })]) {
    hold.release()
    hold.arrived()
  }

  assert.is(budget.held, 0)
})

test('a stalled body is abandoned', async () => {
  const { budget, port, stop } = await listen({ grace: 50 })
  try {
    const { text } = talk(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc')
    assert.match(await text, /Connection: close[\s\S]*slow_body/)
    assert.is(budget.held, 0)
  } finally {
    stop()
  }
})

test('a response before the end of the body arrives and closes the connection; later requests on it are not served', async () => {
  const { port, stop } = await listen()
  try {
    const head = 'POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n'
    const { text } = talk(port, head, 'a'.repeat(900_000), 'POST / HTTP/1.1\r\nHost: x\r\n\r\n')
    const said = await text
    assert.match(said, /Connection: close[\s\S]*access/)
    assert.is(said.match(/HTTP\/1\.1 /g)?.length, 1)
    const small = 'POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
    const kept = talk(port, `${small}POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(await kept.text, /keep-alive[\s\S]*access[\s\S]*"length":0/i)
  } finally {
    stop()
  }
})

test('"100 Continue" is sent only to clients whose body is wanted', async () => {
  const { port, stop } = await listen()
  const ask = async (path: string) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': 3 },
    })

    asked.on('error', () => {})
    asked.flushHeaders()
    let told = false

    asked.on('continue', () => {
      told = true
      asked.end('abc')
    })
    const [response] = await once(asked, 'response')

    response.resume()
    await once(response, 'end')
    asked.destroy()

    return { told, status: response.statusCode }
  }

  try {
    assert.equal(await ask('/'), { told: true, status: 200 })
    assert.equal(await ask('/refuse'), { told: false, status: 400 })
  } finally {
    stop()
  }
})

test.run()
