import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { givePlace } from '../../src/http/give-place.ts'

/** A server that takes so many connections; `/wait` is answered when `finish` is called. */
async function listen(most: number) {
  const held: (() => void)[] = []
  const server = createServer((req, res) => {
    if (req.url === '/wait') held.push(() => res.end('waited'))
    else res.end('at once')
  })
  server.keepAliveTimeout = 60_000
  server.maxConnections = most
  givePlace(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    server,
    held,
    /** A new connection that asks for `path`. */
    ask: (path: string): Socket => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      sockets.push(socket)
      return socket
    },
    end: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('data', data => resolve(String(data)))
    socket.once('close', () => reject(new Error('hung up on, without an answer')))
  })

test('connections that wait for nothing make place for new ones; those that wait for an answer get it', async () => {
  const { held, ask, end } = await listen(10)
  try {
    const waiting = ask('/wait')
    const answer = answerOf(waiting)
    const idle = Array.from({ length: 9 }, () => ask('/'))
    for (const text of await Promise.all(idle.map(answerOf))) assert.match(text, /at once/)
    for (let more = 0; more < 30; more++) assert.match(await answerOf(ask('/')), /at once/)
    assert.ok(idle.some(socket => socket.destroyed || socket.readableEnded))
    assert.is(held.length, 1)
    held[0]?.()
    assert.match(await answer, /waited/)
  } finally {
    end()
  }
})

test('as long as there is room, nobody is hung up on', async () => {
  const { ask, end } = await listen(100)
  try {
    const idle = Array.from({ length: 40 }, () => ask('/'))
    await Promise.all(idle.map(answerOf))
    assert.not(idle.some(socket => socket.destroyed || socket.readableEnded))
  } finally {
    end()
  }
})

test.run()
