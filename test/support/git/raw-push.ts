import { request } from 'node:http'
import { packetsOf, textOf } from '../../../src/git/protocol/packet-reader.ts'
import { flushPacket, packet } from '../../../src/git/protocol/packets.ts'

export type RawCommand = { ref: string; from?: string; to?: string }

export type RawPush = {
  commands: readonly RawCommand[]
  pack?: Buffer
  capabilities?: string
  options?: readonly string[]
}

const zero = '0'.repeat(40)

/** Returns the body of a push. */
export function pushBody({ commands, pack, capabilities = '', options }: RawPush): Buffer {
  const words = `report-status-v2 side-band-64k ${options ? 'push-options ' : ''}${capabilities}`
  return Buffer.concat([
    ...commands.map(({ ref, from = zero, to = zero }, i) =>
      packet(`${from} ${to} ${ref}${i === 0 ? `\0 ${words}` : ''}`),
    ),
    flushPacket,
    ...(options ? [...options.map(each => packet(each)), flushPacket] : []),
    ...(pack ? [pack] : []),
  ])
}

/** The answer to a push: its status, the lines of its report, and what it says to a person. */
export type RawAnswer = { status: number; report: string[]; said: string; text: string }

/** A POST to `git-receive-pack` under way. */
export type Sending = {
  write: (bytes: Buffer) => void
  end: () => void
  cut: () => void
  answer: Promise<RawAnswer>
}

/** Begins a push whose body is sent in parts. */
export function beginPush(
  url: string,
  spaceId: string,
  token: string,
  headers: Record<string, string> = {},
): Sending {
  const sent = request(`${url}/${spaceId}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-receive-pack-request',
      authorization: `Bearer ${token}`,
      ...headers,
    },
  })

  const answer = new Promise<RawAnswer>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(read(response.statusCode ?? 0, Buffer.concat(chunks))))
    })
  })

  answer.catch(() => {})

  return {
    write: bytes => void sent.write(bytes),
    end: () => void sent.end(),
    cut: () => void sent.destroy(),
    answer,
  }
}

/** Sends a push. */
export function sendPush(
  url: string,
  spaceId: string,
  token: string,
  push: RawPush | Buffer,
): Promise<RawAnswer> {
  const sending = beginPush(url, spaceId, token)
  sending.write(Buffer.isBuffer(push) ? push : pushBody(push))
  sending.end()
  return sending.answer
}

function read(status: number, body: Buffer): RawAnswer {
  const bands: Record<number, Buffer[]> = { 1: [], 2: [] }
  if (status === 200)
    for (const each of packetsOf(body)) {
      if (each.kind !== 'data') continue
      bands[each.data[0]!]?.push(each.data.subarray(1))
    }

  const report: string[] = []
  for (const each of packetsOf(Buffer.concat(bands[1]!)))
    if (each.kind === 'data') report.push(textOf(each.data))

  return { status, report, said: Buffer.concat(bands[2]!).toString(), text: body.toString() }
}
