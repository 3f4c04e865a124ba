import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sendChunks } from '../../src/transfers/send-chunks.ts'

/** More than the buffers of two sockets on one machine hold. */
const chunks = 200
const chunkBytes = 256 * 1024

type Limits = { stallMs: number; longestMs: number; leastRate: number }

/**
 * Sends chunks to a client that reads one after each pause. Returns what was counted, and what
 * arrived.
 */
async function send(limits: Limits, pauseMs: number) {
  const counted: { sent: number; refused?: string } = { sent: 0 }
  const app = express()
  const sending = new Promise<void>(resolve => {
    app.use((_, res) => {
      const answer = (async function* () {
        for (let i = 0; i < chunks; i++) yield Buffer.alloc(chunkBytes)
      })()
      void sendChunks(res, answer, 'upload-pack-result', counted, limits).then(resolve)
    })
  })
  const server = createServer(app).listen(0, '127.0.0.1')

  await new Promise(resolve => server.once('listening', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')

  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let read = 0

  client.on('data', async data => {
    read += data.length
    client.pause()
    await setTimeout(pauseMs)
    client.resume()
  })
  const ended = new Promise<void>(resolve => client.once('close', () => resolve()))

  await sending

  // A connection that was closed still has bytes to read.
  if (counted.refused === undefined) await ended
  client.destroy()
  server.close()

  return { ...counted, read }
}

test('a client that goes on reading too slowly loses its connection', async () => {
  const { sent, refused } = await send({ stallMs: 60_000, longestMs: 300, leastRate: 2 ** 40 }, 30)
  assert.is(refused, 'the client reads too slowly')
  assert.ok(sent < chunks * chunkBytes)
})

test('a client that reads fast enough may take longer', async () => {
  const { read, refused } = await send({ stallMs: 60_000, longestMs: 10, leastRate: 1024 }, 1)
  assert.is(refused, undefined)
  assert.ok(read > chunks * chunkBytes)
})

test('a client that reads nothing loses its connection before', async () => {
  const started = performance.now()
  const { refused } = await send({ stallMs: 300, longestMs: 60_000, leastRate: 1024 }, 5_000)
  assert.is(refused, 'the client reads too slowly')
  assert.ok(performance.now() - started < 30_000)
})

test.run()
