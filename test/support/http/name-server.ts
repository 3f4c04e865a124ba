import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/**
 * IPv4 addresses with TTL 0; [] for a name without addresses; undefined for an unknown name;
 * 'silence' for no answer.
 */
export type NameAnswer = readonly string[] | undefined | 'silence'

export type NameServer = {
  /** 127.0.0.1:<port> */
  address: string
  /** The requested names, one entry per question. */
  asked: string[]
  close: () => Promise<void>
}

/**
 * Serves DNS on a free UDP port of 127.0.0.1. `answer` returns the addresses of a lower-case name;
 * it is called once per IPv4 question. No name has IPv6 addresses.
 */
export async function serveNames(answer: (name: string) => NameAnswer): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const found = type === 1 ? answer(name) : []
    if (found !== 'silence') socket.send(replyTo(query.subarray(0, end), found), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.unref()

  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise<void>(resolve => socket.close(() => resolve())),
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = query[at]!; size > 0; size = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += 1 + size
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function replyTo(question: Buffer, found: readonly string[] | undefined): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(found ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(found?.length ?? 0, 6)
  head.writeUInt32BE(0, 8)
  const records = (found ?? []).map(address =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([head, ...records])
}
