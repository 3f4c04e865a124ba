import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ProtocolError } from '../../src/git/protocol/protocol-error.ts'
import { isGitError } from '../../src/git/values/errors.ts'
import { PushBody } from '../../src/transfers/push-body.ts'
import { until } from '../support/until.ts'

/**
 * A server that reads the body of each request as a push, and answers with the number of its bytes.
 */
async function serve(limits: { silentMs?: number; longestMs?: number }) {
  const errors: unknown[] = []
  let read = 0
  const server = createServer(async (req, res) => {
    const body = new PushBody(req, limits)
    try {
      while (await body.next());
      res.end(String(body.received))
    } catch (error) {
      errors.push(error)
    }
    read = body.received
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    errors,
    /** Returns the bytes that were read of the last body. */
    read: () => read,
    /**
     * Begins a request; `ended` is its answer, or the code of the error that ended the connection.
     */
    begin: (encoding = 'identity') => {
      const sent = request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        headers: { 'content-encoding': encoding },
      })

      const ended = new Promise<string>(resolve => {
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? String(error)))
        sent.on('response', async response => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve(text)
        })
      })

      return { sent, ended }
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

const begun: Record<string, Buffer> = {
  identity: Buffer.from('the first bytes'),
  gzip: gzipSync(Buffer.alloc(1000, 'x')).subarray(0, 12),
}

for (const encoding of ['identity', 'gzip'])
  test(`a sender that goes silent is disconnected (${encoding})`, async () => {
    const { begin, errors, stop } = await serve({ silentMs: 100 })
    for (const first of [begun[encoding]!, undefined]) {
      const { sent, ended } = begin(encoding)
      if (first) sent.write(first)
      else sent.flushHeaders()
      const cut = await Promise.race([ended, setTimeout(5000, 'still connected', { ref: false })])
      assert.is(cut, 'ECONNRESET')
    }

    assert.ok(errors.length === 2 && errors.every(error => isGitError(error, 'aborted')))
    await stop()
  })

test('a body that is no gzip is an error of the sender, and no sender that has gone', async () => {
  const { begin, errors, stop } = await serve({})
  for (const bytes of [Buffer.from('no gzip'), begun.gzip!]) {
    const { sent } = begin('gzip')
    sent.end(bytes)
    await until('the body is read', () => errors.shift()).then(error =>
      assert.ok(error instanceof ProtocolError, String(error)),
    )
    sent.destroy()
  }

  await stop()
})

test('gzip that unpacks to more than 100 times its size is not unpacked to its end', async () => {
  const { begin, errors, read, stop } = await serve({})
  const { sent } = begin('gzip')
  const bytes = gzipSync(Buffer.alloc(50 * 1024 ** 2))
  sent.end(bytes)
  const error = await until('the body is refused', () => errors.shift())

  assert.ok(error instanceof ProtocolError && error.code === 'too_large', String(error))
  assert.ok(read() < 200 * 1024 + bytes.length * 100, `${read()} bytes were unpacked`)
  sent.destroy()

  // Fewer bytes, and a lower ratio.
  for (const some of [gzipSync(Buffer.alloc(60_000)), gzipSync(randomBytes(100_000))]) {
    const { sent, ended } = begin('gzip')
    sent.end(some)
    assert.match(await ended, /^(?:60000|100000)$/)
  }

  await stop()
})

test('a slow sender is not silent, but a push ends some time', async () => {
  // Longer than a busy machine holds up one of the timers.
  const patient = await serve({ silentMs: 1_500 })
  const { sent, ended } = patient.begin()
  for (let i = 0; i < 18; i++) {
    sent.write('x')
    await setTimeout(100)
  }

  sent.end()
  assert.is(await ended, '18')
  await patient.stop()
  const hasty = await serve({ silentMs: 400, longestMs: 300 })
  const slow = hasty.begin()
  const writing = setInterval(() => slow.sent.write('x'), 50)

  assert.is(
    await Promise.race([slow.ended, setTimeout(5000, 'still connected', { ref: false })]),
    'ECONNRESET',
  )
  clearInterval(writing)
  await hasty.stop()
})

test.run()
