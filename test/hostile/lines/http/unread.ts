import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { type Line, line, must, type Seen } from '../../line.ts'
import { openStage, residentOf, type Stage } from '../../stage.ts'
import { measureWaits } from '../../waits.ts'
import { publishText } from '../pages/tools.ts'
import { done } from '../sites/tools.ts'

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Asks for a path over many sockets of several addresses of this machine, which read nothing. */
function askUnread({ url }: Stage, path: string, count: number): Socket[] {
  const { port } = new URL(url)
  return Array.from({ length: count }, (_, at) => {
    const socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      localAddress: `127.0.0.${2 + (at % 5)}`,
    })

    socket.on('error', () => {}).pause()
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.${at % 250}\r\n\r\n`,
    )

    return socket
  })
}

type Kind = 'file' | 'page' | 'list'

/** Makes something large that can be asked for without a token, and returns its path. */
const targets: Readonly<Record<Kind, (stage: Stage) => Promise<string>>> = {
  file: async stage => {
    const space = await stage.space()
    const image = {
      name: 'a.png',
      contentType: 'image/png',
      base64: randomBytes(1_000_000).toString('base64'),
    }
    const changes = [{ operation: 'insert_files', files: [image] }]
    const made = await done(stage, `POST /v1/spaces/${space}/content`, { changes })
    const { pathname, search } = new URL(made.insertedFiles[0].downloadURL)

    return pathname + search
  },
  page: async stage =>
    (
      await publishText(
        stage,
        `| Name | Value |\n| - | - |\n${'| name | value |\n'.repeat(12_000)}`,
      )
    ).path,
  list: async stage => {
    const { base } = await publishText(stage, 'word '.repeat(100_000))
    return `${base}llms-full.txt`
  },
}

/**
 * Opens sockets that read nothing, twice: the second round may need no more memory than the first.
 */
const unread = (kind: Kind, count: number, mostMb: number) => async (): Promise<Seen> => {
  const stage = await openStage({ env: { STEMMA_LOG: 'warn', STEMMA_TRUST_PROXY: '1' } })
  const waits = measureWaits(stage)
  try {
    const path = await targets[kind](stage)
    // What the first answers load and compile is no memory of the sockets.
    for (const socket of await settled(stage, path, 100)) socket.destroy()
    await wait(1_000)
    const before = residentOf(stage.pid)

    await waits.longest()
    const peaks: number[] = []

    for (let round = 0; round < 2; round++) {
      const sockets = await settled(stage, path, count)
      peaks.push(residentOf(stage.pid) - before)
      for (const socket of sockets) socket.destroy()
      await wait(1_000)
    }

    const { wait: longest, busy } = await waits.longest()
    const text = `${peaks.map(Math.round).join(' and ')} MB more, /healthz ${Math.round(longest)} ms (${Math.round(busy)} of work)`
    if (process.env.TRACE) console.log(`     ${text}`)
    must(stage.alive(), 'the server is dead')
    must(Math.max(...peaks) < mostMb, text)

    return { status: 200, text }
  } finally {
    waits.end()
    await stage.stop()
  }
}

/** Waits until the memory of the server stays the same. */
async function settled(stage: Stage, path: string, count: number): Promise<Socket[]> {
  const sockets = askUnread(stage, path, count)
  let before = 0
  for (let round = 0; round < 40; round++) {
    await wait(500)
    const now = residentOf(stage.pid)
    if (round > 3 && Math.abs(now - before) < 1) break
    before = now
  }

  return sockets
}

const slow = { slow: true, mostMs: 180_000 }
const effect = 'little memory, and others are answered'
export const unreadLines: Line[] = [
  line(
    'T215',
    '2,000 sockets that ask for a file of 1 MB and read nothing',
    200,
    effect,
    unread('file', 2_000, 100),
    slow,
  ),
  line(
    'T215',
    '2,000 sockets that ask for a large page and read nothing',
    200,
    effect,
    unread('page', 2_000, 100),
    slow,
  ),
  line(
    'T215',
    '2,000 sockets that ask for a long text and read nothing',
    200,
    effect,
    unread('list', 2_000, 100),
    slow,
  ),
  line(
    'T215',
    '200 sockets that ask for a file of 1 MB and read nothing',
    200,
    effect,
    unread('file', 200, 60),
  ),
]
