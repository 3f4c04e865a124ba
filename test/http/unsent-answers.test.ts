import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { UnsentAnswers, type UnsentOptions } from '../../src/http/sending/unsent-answers.ts'
import { until as untilFound } from '../support/until.ts'

const until = (holds: () => boolean) => untilFound(String(holds), () => holds() || undefined)

const megabyte = 1_000_000
/** More than the system takes for a client that does not read. */
const large = 16 * megabyte

async function listen(
  limits: NonNullable<UnsentOptions['limits']>,
  answer: (res: ServerResponse, req: IncomingMessage, unsent: UnsentAnswers) => void,
) {
  const reasons: string[] = []
  const unsent = new UnsentAnswers({
    groupOf: req => req.socket.remoteAddress,
    onRefused: reason => reasons.push(reason),
    limits,
  })
  const server = createServer((req, res) => answer(res, req, unsent))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []

  return {
    unsent,
    reasons,
    /** Requests an answer, and reads nothing of it. */
    ask: (path = '/', localAddress = '127.0.0.1'): Socket => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => {}).pause()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      sockets.push(socket)
      return socket
    },
    end: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const textOf = async (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', data => {
    text += data
  })
  await once(socket, 'close')
  return text
}

const own: Parameters<typeof listen>[1] = (res, req, unsent) => {
  unsent.follow(req, res)
  res.end(Buffer.alloc(large))
}

test('an answer that nobody reads counts until its connection is closed', async () => {
  const { unsent, ask, end } = await listen({ most: large * 4, share: large * 4 }, own)
  try {
    const socket = ask()
    await until(() => unsent.held >= large)
    socket.destroy()
    await until(() => unsent.held === 0)
  } finally {
    end()
  }
})

test('bytes that several answers share count once', async () => {
  const body = Buffer.alloc(large)
  let asked = 0
  const { unsent, ask, end } = await listen(
    { most: large * 2, share: large * 2 },
    (res, req, unsent) => {
      res.end(body)
      unsent.sent(req, res, body)
      asked++
    },
  )

  try {
    const sockets = [ask(), ask(), ask()]
    await until(() => asked === 3)
    assert.is(unsent.held, large)
    sockets[0]?.destroy()
    sockets[1]?.destroy()
    sockets[2]?.destroy()
    await until(() => unsent.held === 0)
  } finally {
    end()
  }
})

test('an answer beyond the share of its address is refused, and another address gets its own', async () => {
  const limits = { most: large * 4, share: large * 1.5, stalledMs: 1e9 }
  const { unsent, reasons, ask, end } = await listen(limits, own)
  try {
    ask()
    await until(() => unsent.held >= large)
    const text = await textOf(ask().resume())
    assert.match(text, /^HTTP\/1.1 429 .*Retry-After: 5.*have not been read/s)
    assert.equal(reasons, ['unread_share'])
    ask('/', '127.0.0.2')
    await until(() => unsent.held >= large * 2)
  } finally {
    end()
  }
})

test('an answer that nobody reads is ended for a new one', async () => {
  const { unsent, reasons, ask, end } = await listen({ most: large * 1.5, stalledMs: 0 }, own)
  try {
    ask()
    await until(() => unsent.held >= large)
    ask('/', '127.0.0.2')
    await until(() => reasons.length > 0)
    assert.equal(reasons, ['unread_budget'])
  } finally {
    end()
  }
})

test('a client that reads nothing in a window loses its connection, and one that reads stays', async () => {
  const windowMs = 60_000
  const { unsent, reasons, ask, end } = await listen(
    { most: large * 4, share: large * 4, windowMs },
    own,
  )

  try {
    const reading = ask()
    await until(() => unsent.held >= large)
    let read = 0
    reading.on('data', data => {
      read += data.length
      if (read < large / 2) return
      reading.pause()
    })
    reading.resume()
    await until(() => read >= large / 2)
    unsent.look(performance.now() + windowMs)
    assert.equal(reasons, [], 'it has read enough in the first window')
    unsent.look(performance.now() + 3 * windowMs)
    assert.equal(reasons, ['slow_reader'])
    await until(() => unsent.held === 0)
  } finally {
    end()
  }
})

test.run()
