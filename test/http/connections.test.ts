import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { limitConnections, markBusy } from '../../src/http/limits/connections.ts'

/** A server with a limit of connections; `/wait` is answered when `finish` is called. */
async function listen(most: number, perAddress = 0, isProxy = false) {
  const held: (() => void)[] = []
  const server = createServer((req, res) => {
    markBusy(req.socket, res)
    if (req.url === '/wait') held.push(() => res.end('waited'))
    else res.end('at once')
  })

  server.keepAliveTimeout = 60_000
  server.maxConnections = most
  let refused = 0

  limitConnections(server, {
    perAddress,
    isProxy: () => isProxy,
    onRefused: () => refused++,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []

  return {
    server,
    held,
    refused: () => refused,
    /** Opens a connection that requests `path`. */
    ask: (path: string, from = '127.0.0.1'): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from })
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      sockets.push(socket)
      return socket
    },
    /** Opens a connection that sends half a request. */
    half: (from = '127.0.0.1'): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from })
      socket.on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nX-')
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

test('idle connections are closed for new ones, and busy ones get their response', async () => {
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

test('below the limit no connection is closed', async () => {
  const { ask, end } = await listen(100)
  try {
    const idle = Array.from({ length: 40 }, () => ask('/'))
    await Promise.all(idle.map(answerOf))
    assert.not(idle.some(socket => socket.destroyed || socket.readableEnded))
  } finally {
    end()
  }
})

test('an address at its limit loses the connection that has been idle longest', async () => {
  const { half, ask, held, refused, end } = await listen(1_000, 5)
  try {
    const waiting = ask('/wait')
    const answer = answerOf(waiting)
    const halves = Array.from({ length: 20 }, () => half())
    assert.match(await answerOf(ask('/')), /at once/)
    const closed = halves.map(socket => socket.destroyed || socket.readableEnded)

    assert.ok(closed.filter(Boolean).length >= 15, `${closed}`)
    assert.is(refused(), 17)
    const elsewhere = half('127.0.0.2')

    assert.match(await answerOf(ask('/', '127.0.0.2')), /at once/)
    assert.not(
      elsewhere.destroyed || elsewhere.readableEnded,
      'another address has places of its own',
    )
    held[0]?.()
    assert.match(await answer, /waited/)
  } finally {
    end()
  }
})

test('when all connections of an address are busy, the new one is closed', async () => {
  const { ask, held, refused, end } = await listen(1_000, 3)
  try {
    const waiting = [ask('/wait'), ask('/wait'), ask('/wait')]
    const answers = waiting.map(answerOf)
    while (held.length < 3) await new Promise(resolve => setTimeout(resolve, 5))
    const late = ask('/')

    await answerOf(late).then(assert.unreachable, error =>
      assert.match(error.message, /without an answer/),
    )
    assert.is(refused(), 1)
    for (const finish of held) finish()
    for (const text of await Promise.all(answers)) assert.match(text, /waited/)
    assert.match(await answerOf(ask('/')), /at once/)
  } finally {
    end()
  }
})

test('a trusted proxy has no connection limit', async () => {
  const { half, ask, refused, end } = await listen(1_000, 5, true)
  try {
    const halves = Array.from({ length: 40 }, () => half())
    assert.match(await answerOf(ask('/')), /at once/)
    assert.is(refused(), 0)
    assert.not(halves.some(socket => socket.destroyed))
  } finally {
    end()
  }
})

test.run()
