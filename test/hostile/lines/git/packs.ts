import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import {
  copyDelta,
  homeEntries,
  objectId,
  type PackEntry,
  packOf,
  sendingPack,
} from '../../../support/git/raw-pack.ts'
import { beside } from '../../beside.ts'
import { importOf } from '../../import.ts'
import { importing, listsOf, says, top } from '../../importing.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { file } from '../../objects.ts'
import { colliding } from '../../sha1-collision.ts'
import type { Stage } from '../../stage.ts'

let made = 0

/**
 * Imports from a host that sends this in place of a pack; nothing of it may stay in the folder of
 * the fetch.
 */
const sending =
  (
    bytes: () => Iterable<Buffer> | AsyncIterable<Buffer>,
    {
      band = 1,
      where = async main => main,
    }: { band?: 1 | 2; where?: (main: Stage) => Promise<Stage> } = {},
  ) =>
  async (main: Stage): Promise<Seen> => {
    const stage = await where(main)
    stage.host.mode = sendingPack(homeEntries().commit, bytes(), band)
    const seen = await importOf(stage, `pack-${made++}`, { ms: 290_000 }).finally(() => {
      stage.host.mode = 'serve'
    })
    const left = readdirSync(join(stage.dataDir, 'staging'))
    must(left.length === 0, `${left.length} folders are left in staging`)
    return seen
  }

/** A server that limits imports to 20 MB and five seconds. */
const small = () =>
  beside('small', {
    env: { STEMMA_MAX_IMPORT_PACK_MB: '20', STEMMA_MAX_IMPORT_SECONDS: '5', STEMMA_LOG: 'warn' },
  })

const blob = (content: Buffer | string): PackEntry => ({
  type: 'blob',
  content: Buffer.from(content),
})
const pack = (...more: PackEntry[]) => packOf([...homeEntries().entries, ...more])

/**
 * The start of a pack that announces so many objects, and then files of 1 MB until the client
 * disconnects.
 */
function* endless(objects: number) {
  const start = pack()
  start.writeUInt32BE(objects, 8)
  yield start.subarray(0, -20)
  const noise = Buffer.alloc(1_000_000)
  for (let at = 0; at < noise.length; at += 4)
    noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, at)
  const entry = packOf([blob(noise)]).subarray(12, -20)
  for (;;) yield entry
}

/** Eight files of more than 1 GB each in 16 KB: deltas that copy their base repeatedly. */
function unfolding(): Buffer {
  const size = 16_000_000
  const first = homeEntries().entries.length
  return pack(
    blob(Buffer.alloc(64_000)),
    { type: 'delta', base: first, content: copyDelta(64_000, 64_000, 250) },
    ...Array.from(
      { length: 8 },
      (_, i): PackEntry => ({
        type: 'delta',
        base: first + 1,
        content: copyDelta(size, size, 70, `${i}`),
      }),
    ),
  )
}

/** Deltas on deltas, each a byte longer than its base. */
function chain(length: number): Buffer {
  const first = homeEntries().entries.length
  return pack(
    blob('x'),
    ...Array.from(
      { length },
      (_, i): PackEntry => ({
        type: 'delta',
        base: first + i,
        content: copyDelta(i + 1, i + 1, 1, 'x'),
      }),
    ),
  )
}

/** Two deltas, each based on the other. */
function cycle(): Buffer {
  const [a, b] = [objectId('blob', Buffer.from('aa')), objectId('blob', Buffer.from('bb'))]
  return pack(
    { type: 'delta', base: a, content: copyDelta(2, 2, 1) },
    { type: 'delta', base: b, content: copyDelta(2, 2, 1) },
  )
}

const broken = (change: (whole: Buffer) => Buffer) => () => [change(pack(blob('more')))]

async function* dripping() {
  const whole = pack()
  for (let at = 0; at < whole.length; at++) {
    yield whole.subarray(at, at + 1)
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}

function* chatting() {
  for (;;) yield Buffer.from('Counting objects: 1% (1/100)\r'.repeat(100))
}

/** A host that stalls: its system accepts a few connections, and then no more. */
const standing = async (main: Stage): Promise<Seen> => {
  const script = `require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = await once(child.stdout, 'data')
  const port = Number(String(chunk))

  child.kill('SIGSTOP')
  const sockets = Array.from({ length: 4 }, () =>
    createConnection(port, '127.0.0.1').on('error', () => {}),
  )

  try {
    return await importOf(main, 'none', { url: `http://127.0.0.1:${port}/x.git`, ms: 80_000 })
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  }
}

/** Answers of a host in place of a pack. */
export const packs: Line[] = [
  line(
    'B12',
    'eight files of 1 GB in a pack of 16 KB',
    'failure',
    /more memory or time/,
    sending(() => [unfolding()]),
  ),
  line(
    'B12',
    'a pack that declares a billion objects',
    'failure',
    says.large,
    sending(() => endless(1e9)),
  ),
  line(
    'B13',
    'a pack with a wrong checksum',
    'failure',
    says.bad,
    sending(broken(whole => Buffer.concat([whole.subarray(0, -1), Buffer.from([0])]))),
  ),
  line(
    'B13',
    'a truncated pack',
    'failure',
    /./,
    sending(broken(whole => whole.subarray(0, whole.length / 2))),
  ),
  line(
    'B13',
    'a pack with 1 MB after its end',
    'failure|success',
    'nothing of it is kept',
    sending(broken(whole => Buffer.concat([whole, Buffer.alloc(1_000_000)]))),
  ),
  line(
    'B13',
    'deltas in a circle',
    'failure',
    says.bad,
    sending(() => [cycle()]),
  ),
  line(
    'B13',
    'a chain of 50,000 deltas',
    'failure|success',
    /./,
    sending(() => [chain(50_000)]),
    { slow: true, mostMs: 300_000 },
  ),
  line(
    'B13',
    'an empty answer',
    'failure',
    /./,
    sending(() => []),
  ),
  line(
    'B14',
    'two files with the same SHA-1 (SHAttered)',
    'success',
    'both are kept',
    importing(
      repo => {
        const [a, b] = colliding.map(bytes => repo.blob(bytes))
        must(a && b && a !== b, 'Git takes them for the same')
        return top(repo, file('a.md', a), file('b.md', b))
      },
      listsOf('a.md', 'b.md'),
    ),
  ),
  line(
    'A16',
    'an endless pack with a limit of 20 MB',
    'failure',
    /larger than 20 MB/,
    sending(() => endless(100_000), { where: small }),
  ),
  line(
    'A16',
    'a pack of 5 GB',
    'failure',
    /larger than 256 MB/,
    sending(() => endless(5000)),
    { slow: true },
  ),
  line(
    'A16',
    'a host that reports progress forever',
    'failure',
    /too long/,
    sending(chatting, { band: 2, where: small }),
  ),
  line('A16', 'a pack sent at a byte a second', 'failure', /too long/, sending(dripping), {
    slow: true,
  }),
  line('A16', 'a host that accepts no connection', 'failure', /too long/, standing, { slow: true }),
]
