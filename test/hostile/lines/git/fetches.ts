import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { delimPacket, flushPacket, packet } from '../../../../src/git/protocol/packets.ts'
import { gitOutside } from '../../../support/git/repo.ts'
import { costing, processesOf } from '../../cost.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

/** A space with objects that only a hidden ref leads to. */
type Target = { id: string; dir: string; head: string; hidden: string; hiddenBlob: string }

const targets = new Map<Stage, Promise<Target>>()

function target(stage: Stage): Promise<Target> {
  const known = targets.get(stage) ?? makeTarget(stage)
  targets.set(stage, known)
  return known
}

async function makeTarget(stage: Stage): Promise<Target> {
  const id = await stage.space('Fetched')
  const dir = join(stage.dataDir, 'spaces', id.slice(0, 2), `${id}.git`)
  const git = (...args: string[]) => gitOutside(stage.folder, ['--git-dir', dir, ...args])
  const head = git('rev-parse', 'refs/heads/main')
  const hiddenBlob = git('hash-object', '-w', join(process.cwd(), 'LICENSE'))
  const tree = git('rev-parse', 'refs/heads/main^{tree}')
  const hidden = git('commit-tree', '-p', head, '-m', 'hidden', tree)

  git('update-ref', 'refs/stemma/hidden', hidden)

  return { id, dir, head, hidden, hiddenBlob }
}

const type = { 'content-type': 'application/x-git-upload-pack-request' }
const version2 = { ...type, 'git-protocol': 'version=2' }

export const fetchOf = (lines: readonly string[]): Buffer =>
  Buffer.concat([
    packet('command=fetch\n'),
    delimPacket,
    ...lines.map(each => packet(`${each}\n`)),
    flushPacket,
  ])

/** Returns the numbers of the git processes that answer fetches from a data folder. */
export const fetchesOf = (stage: Stage): string[] =>
  processesOf(stage, /upload-pack|pack-objects|rev-list/)

/** Throws unless all processes end within a second. */
export async function idle(stage: Stage): Promise<void> {
  const until = performance.now() + 1000
  while (fetchesOf(stage).length > 0) {
    must(performance.now() < until, `${fetchesOf(stage).length} processes still run`)
    await sleep(20)
  }
}

/** Sends a request below the address of the space; no process may run after it. */
const ask =
  (
    method: string,
    path: string,
    make: (to: Target) => { body?: Buffer; headers?: Record<string, string> } = () => ({}),
  ) =>
  async (stage: Stage): Promise<Seen> => {
    const to = await target(stage)
    const seen = await stage.call(method, path.replace('SPACE', to.id), make(to))
    await idle(stage)
    return seen
  }

/** Posts a body, whose answer may cost so many milliseconds of CPU. */
const post = (
  make: (to: Target) => Buffer,
  headers: Record<string, string> = version2,
  mostMs = Number.POSITIVE_INFINITY,
) =>
  costing(
    mostMs,
    ask('POST', '/SPACE.git/git-upload-pack', to => ({ body: make(to), headers })),
  )

const want = (make: (to: Target) => readonly string[], mostMs?: number) =>
  post(to => fetchOf(make(to)), version2, mostMs)

/** A request that fails, and one on the same connection that is then answered. */
const brokenGzip = async (stage: Stage): Promise<Seen> => {
  const { id } = await target(stage)
  const head = (body: Buffer, more: string) =>
    `POST /${id}.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.admin}\r\n` +
    `Content-Type: ${type['content-type']}\r\nGit-Protocol: version=2\r\n${more}Content-Length: ${body.length}\r\n\r\n`
  const broken = Buffer.from('no gzip at all')
  const list = Buffer.concat([packet('command=ls-refs\n'), flushPacket])
  const seen = await stage.raw(
    Buffer.concat([
      Buffer.from(head(broken, 'Content-Encoding: gzip\r\n')),
      broken,
      Buffer.from(head(list, '')),
      list,
    ]),
    500,
  )

  must(/HTTP\/1\.1 200[\s\S]*refs\/heads\/main/.test(seen.text), `no second answer: ${seen.text}`)

  return seen
}

/** Makes a space with a file of so many random bytes. */
export async function largeSpace(
  stage: Stage,
  bytes: number,
): Promise<{ id: string; head: string }> {
  const id = await stage.space('Large')
  const dir = join(stage.dataDir, 'spaces', id.slice(0, 2), `${id}.git`)
  const source = join(stage.folder, 'random.bin')
  writeFileSync(source, randomBytes(bytes))
  const git = (...args: string[]) => gitOutside(stage.folder, ['--git-dir', dir, ...args])
  const blob = git('hash-object', '-w', source)
  const tree = treeOf(stage, dir, blob)
  const head = git('commit-tree', '-p', 'refs/heads/main', '-m', 'big', tree)

  git('update-ref', 'refs/heads/main', head)

  return { id, head }
}

/** A clone of 30 MB whose client leaves after the first bytes. */
const leaving = async (stage: Stage): Promise<Seen> => {
  const { id, head } = await largeSpace(stage, 30_000_000)
  const body = fetchOf([`want ${head}`, 'ofs-delta', 'done'])
  const { hostname, port } = new URL(stage.url)

  for (let turn = 0; turn < 5; turn++)
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          Buffer.concat([
            Buffer.from(
              `POST /${id}.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.admin}\r\n` +
                `Content-Type: ${type['content-type']}\r\nGit-Protocol: version=2\r\nContent-Length: ${body.length}\r\n\r\n`,
            ),
            body,
          ]),
        ),
      )

      socket.once('data', () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', reject)
    })

  await idle(stage)

  return stage.call('GET', `/${id}.git/info/refs?service=git-upload-pack`)
}

/** Writes a tree of one file. */
function treeOf({ folder }: Stage, dir: string, blob: string): string {
  gitOutside(folder, [
    '--git-dir',
    dir,
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${blob},big.bin`,
  ])
  const tree = gitOutside(folder, ['--git-dir', dir, 'write-tree'])
  rmSync(join(dir, 'index'))

  return tree
}

/** 500 clones with one token: every answer is a pack or 429, and most of them are. */
const crowd = async (stage: Stage): Promise<Seen> => {
  const { id, head } = await target(stage)
  const body = fetchOf([`want ${head}`, 'done'])
  const answers = await Promise.all(
    Array.from({ length: 500 }, () =>
      stage.call('POST', `/${id}.git/git-upload-pack`, { body, headers: version2 }),
    ),
  )
  const packs = answers.filter(({ status, text }) => status === 200 && text.includes('PACK'))
  const refused = answers.filter(({ status }) => status === 429)

  must(packs.length > 0 && packs.length + refused.length === 500, JSON.stringify(answers[0]))
  must(refused.length > 0, 'none was refused')
  await idle(stage)

  return packs[0] as Seen
}

const nowhere = '1'.repeat(40)
const zeros = gzipSync(Buffer.alloc(200_000_000))

/** Fetches over HTTP. */
export const fetches: Line[] = [
  line(
    'GH1',
    'an address with ".."',
    404,
    'nothing',
    ask('GET', '/../SPACE.git/info/refs?service=git-upload-pack'),
  ),
  line(
    'GH1',
    'an address with "%2e%2e"',
    404,
    'nothing',
    ask('GET', '/%2e%2e/SPACE.git/info/refs'),
  ),
  line(
    'GH1',
    'an id with %00',
    '400|404',
    'nothing',
    ask('GET', '/SPACE%00.git/info/refs?service=git-upload-pack'),
  ),
  line(
    'GH1',
    'a path out of a repository',
    404,
    'nothing',
    ask('GET', '/SPACE.git/../../etc/passwd'),
  ),
  line(
    'GH2',
    'info/refs without a service',
    403,
    /smart protocol/,
    ask('GET', '/SPACE.git/info/refs'),
  ),
  line(
    'GH2',
    'git-upload-archive',
    403,
    /smart protocol/,
    ask('GET', '/SPACE.git/info/refs?service=git-upload-archive'),
  ),
  line(
    'GH3',
    'POST to info/refs',
    405,
    /takes GET/,
    ask('POST', '/SPACE.git/info/refs?service=git-upload-pack'),
  ),
  line('GH3', 'GET of a service', 405, /takes POST/, ask('GET', '/SPACE.git/git-upload-pack')),
  line(
    'GH3',
    'a fetch as JSON',
    415,
    /Content-Type/,
    ask('POST', '/SPACE.git/git-upload-pack', () => ({ body: Buffer.from('{}') })),
  ),
  line(
    'GH3',
    'a fetch in Brotli',
    415,
    /gzip/,
    post(() => Buffer.from('x'), { ...version2, 'content-encoding': 'br' }),
  ),
  line(
    'GH4',
    'a fetch that is no packets',
    400,
    /packet/,
    post(() => Buffer.from('hello')),
  ),
  line(
    'GH4',
    'a packet of length 3',
    400,
    /length/,
    post(() => Buffer.from('0003')),
  ),
  line(
    'GH4',
    'a packet that breaks off',
    400,
    /ends inside/,
    post(() => Buffer.from('0040want')),
  ),
  line(
    'GH4',
    'two commands',
    400,
    /one command/,
    post(() => Buffer.concat([fetchOf([]), fetchOf([])])),
  ),
  line(
    'GH5',
    'command=object-info',
    200,
    /ERR/,
    post(() => Buffer.concat([packet('command=object-info\n'), flushPacket])),
  ),
  line(
    'GH5',
    'command=bundle-uri',
    200,
    /ERR/,
    post(() => Buffer.concat([packet('command=bundle-uri\n'), flushPacket])),
  ),
  line(
    'GH5',
    'SHA-256',
    200,
    /ERR.*sha1/,
    post(() =>
      Buffer.concat([packet('command=fetch\n'), packet('object-format=sha256\n'), flushPacket]),
    ),
  ),
  line(
    'GH6',
    'gzip of 200 MB',
    413,
    /too large/,
    post(() => zeros, { ...version2, 'content-encoding': 'gzip' }, 1_000),
  ),
  line('GH6', 'broken gzip, then a list', 400, 'the list is sent', brokenGzip),
  line(
    'GH7',
    '100,000 wants',
    200,
    /ERR upload-pack: not our ref/,
    want(
      () => Array.from({ length: 100_000 }, () => `want ${randomBytes(20).toString('hex')}`),
      2_000,
    ),
    { mostMs: 5_000 },
  ),
  line(
    'GH7',
    '1,000,000 haves',
    413,
    /too large/,
    want(({ head }) => [`want ${head}`, ...Array(1_000_000).fill(`have ${nowhere}`)], 2_000),
  ),
  line(
    'GH8',
    'a hidden commit',
    200,
    /ERR upload-pack: not our ref/,
    want(({ hidden }) => [`want ${hidden}`, 'done']),
  ),
  line(
    'GH8',
    'a hidden blob',
    200,
    /ERR upload-pack: not our ref/,
    want(({ hiddenBlob }) => [`want ${hiddenBlob}`, 'done']),
  ),
  line(
    'GH8',
    'an object that is not there',
    200,
    /ERR upload-pack: not our ref/,
    want(() => [`want ${nowhere}`, 'done']),
  ),
  line(
    'GH8',
    'a hidden commit in version 0',
    200,
    /not our ref/,
    post(
      ({ hidden }) => Buffer.concat([packet(`want ${hidden}\n`), flushPacket, packet('done\n')]),
      type,
    ),
  ),
  line(
    'GH8',
    'a hidden blob in version 1',
    200,
    /not our ref/,
    post(
      ({ hiddenBlob }) =>
        Buffer.concat([packet(`want ${hiddenBlob}\n`), flushPacket, packet('done\n')]),
      {
        ...type,
        'git-protocol': 'version=1',
      },
    ),
  ),
  line(
    'GH9',
    'want-ref of a hidden ref',
    200,
    /ERR unexpected line/,
    want(() => ['want-ref refs/stemma/hidden', 'done']),
  ),
  line(
    'GH9',
    'an unknown line',
    200,
    /ERR unexpected line/,
    want(() => ['--upload-pack=touch /tmp/x']),
  ),
  line(
    'GH10',
    'filter sparse:oid',
    200,
    /ERR filter/,
    want(({ head }) => [`want ${head}`, 'filter sparse:oid=main:x', 'done']),
  ),
  line(
    'GH10',
    'filter tree:9',
    200,
    /ERR filter/,
    want(({ head }) => [`want ${head}`, 'filter tree:9', 'done']),
  ),
  line(
    'GH11',
    'deepen-since in the future',
    200,
    /ERR upload-pack: no commits selected/,
    want(({ head }) => [`want ${head}`, 'deepen-since 4000000000', 'done']),
  ),
  line(
    'GH11',
    'deepen-not of a hidden ref',
    200,
    /ERR upload-pack: ambiguous deepen-not/,
    want(({ head }) => [`want ${head}`, 'deepen-not refs/stemma/hidden', 'done']),
  ),
  line(
    'GH12',
    'Git-Protocol of 10 kB',
    200,
    /version 2/,
    ask('GET', '/SPACE.git/info/refs?service=git-upload-pack', () => ({
      headers: { 'git-protocol': `version=2:version=1:${'x=y:'.repeat(2500)}` },
    })),
  ),
  line('GH30', 'a client that leaves a clone', 200, 'no process is left', leaving),
  line('GH31', '500 clones at once by one token', 200, 'packs or 429', crowd, { mostWait: 600 }),
]
