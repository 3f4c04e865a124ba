import { createServer } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Response } from 'express'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packet } from '../../src/git/protocol/packets.ts'
import { isGitError } from '../../src/git/values/errors.ts'
import { startTransfer } from '../../src/transfers/record.ts'
import { countRunning } from '../../src/transfers/turns.ts'
import type { Ended } from '../support/git/client.ts'
import { openPushBench, type PushBench } from '../support/git/pushing.ts'
import { beginPush, pushBody, sendPush } from '../support/git/raw-push.ts'
import { until } from '../support/until.ts'

let bench: PushBench
let spaceId = ''
test.before(async () => {
  bench = await openPushBench()
  spaceId = await bench.space()
})
test.after(() => bench.stop())

const begin = () => beginPush(bench.app.url, spaceId, bench.app.admin.token)
const send = (body: Parameters<typeof sendPush>[3]) =>
  sendPush(bench.app.url, spaceId, bench.app.admin.token, body)
const running = () => countRunning(bench.app.ctx)

test('a push counts as a transfer from its first byte, so that one user holds few commands in memory', async () => {
  const command = packet(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/a\0 report-status-v2`)
  const open = Array.from({ length: 8 }, begin)
  for (const each of open) each.write(command)
  await until('eight pushes count', () => running() === 8 || undefined)
  const ninth = send(Buffer.from('0000'))

  for (const each of open) each.cut()
  assert.is((await ninth).status, 200)
  await until('no push is left', () => running() === 0 || undefined)
  assert.is((await send(Buffer.from('0000'))).status, 200)
})

test('a client that leaves before its transfer starts holds no turn', async () => {
  const found = new Promise<unknown>(resolve => {
    const server = createServer((_, res) => {
      res.once('close', () => {
        server.close()
        const transfer = { service: 'fetch', spaceId, userId: 'x' } as const
        startTransfer(bench.app.ctx, res as Response, transfer).then(resolve, resolve)
      })
      socket.destroy()
    }).listen(0, '127.0.0.1', () => {
      socket.connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      })
    })
    const socket = new Socket()
  })

  assert.ok(isGitError(await found, 'aborted'))
  assert.is(running(), 0)
})

test('the name of a ref is at most as long as the report can repeat it', async () => {
  const ref = (bytes: number) => 'refs/heads/change-requests/'.padEnd(bytes, 'x')
  const long = await send(pushBody({ commands: [{ ref: 'refs/tags/a' }, { ref: ref(65_430) }] }))
  assert.is(long.status, 400)
  assert.is(long.text, 'The name of a ref has more than 4,096 bytes.\n')
  const { status, report } = await send({ commands: [{ ref: ref(4096), to: '1'.repeat(40) }] })
  assert.is(status, 200)
  assert.match(report[1]!, /^ng refs\/heads\/change-requests\/x+ a branch below change-requests/)
})

const isTooDense =
  'The body is too large: decompressed, it is more than 100 times its size. Send it uncompressed.\n'

test('a gzipped push that unpacks to more than 100 times its size is refused, and not unpacked to its end', async () => {
  const from = bench.refs(spaceId).main!
  const gzipped = (command: { ref: string; from?: string; to: string }, megabytes: number) =>
    gzipSync(pushBody({ commands: [command], pack: Buffer.alloc(megabytes * 1024 ** 2) }))
  const main = { ref: 'refs/heads/main', from, to: '1'.repeat(40) }

  for (const [command, megabytes] of [
    [main, 1],
    [main, 100],
    // Refused by its name, so that the pack is read to nowhere.
    [{ ref: 'refs/tags/a', to: from }, 100],
  ] as const) {
    const sending = beginPush(bench.app.url, spaceId, bench.app.admin.token, {
      'content-encoding': 'gzip',
    })
    const body = gzipped(command, megabytes)
    sending.write(body)
    sending.end()
    const { status, text } = await sending.answer

    assert.is(status, 413)
    assert.is(text, isTooDense)
  }

  await until('no push is left', () => running() === 0 || undefined)
  assert.is(bench.refs(spaceId).main, from)
})

/** Why a branch is refused above the daily limit. */
const limit =
  /\(You have reached the limit of 3 new change requests within 24 hours\. Change an existing one, or try again after [-\d]+ \d\d:\d\d UTC\)$/

test('pushes open a limited number of change requests of a user a day, and still add to them', async () => {
  const { client, user, space, commit, push, clone, refs, stop } = await openPushBench({
    STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '3',
  })
  try {
    const id = await space()
    const [ed, flo] = [user('Ed', 'edit'), user('Flo', 'edit')]
    const [his, hers] = [await clone(id, ed), await clone(id, flo)]
    const to = (...names: string[]) => ['origin', ...names.map(name => `HEAD:refs/heads/${name}`)]
    const refused = ({ stderr }: Ended) =>
      stderr.split('\n').filter(line => line.includes('[remote rejected]'))
    const count = () =>
      Object.keys(refs(id)).filter(name => name.startsWith('change-requests/')).length

    await commit(his, { 'a.md': '# A\n' })
    const five = refused(await push(his, ...to('a', 'b', 'c', 'd', 'e')))

    assert.is(five.length, 2)
    for (const line of five) assert.match(line, limit)
    assert.is(count(), 3)
    await commit(his, { 'b.md': '# B\n' })
    assert.is((await push(his, ...to('a'))).code, 0)
    assert.is((await push(his, 'origin', 'HEAD:refs/for/main')).code, 0)
    assert.match(refused(await push(his, ...to('f'))).join(), limit)
    const overHttp = await ed.post(`/v1/spaces/${id}/change-requests`, { subject: 'x' })

    assert.is(overHttp.status, 429)

    await commit(hers, { 'a.md': '# A\n' })
    assert.is((await push(hers, ...to('g'))).code, 0)
    await client.ok(['reset', '-q', '--hard', 'origin/main'], { in: hers })
    await commit(hers, { 'b.md': '# B\n' })
    const atomic = refused(await push(hers, '--atomic', ...to('h', 'i', 'j')))

    assert.is(atomic.length, 3)
    assert.match(atomic[2] ?? '', limit)
    const proposed = refused(await push(hers, '--atomic', ...to('h', 'i'), 'HEAD:refs/for/main'))

    for (const line of proposed) assert.match(line, limit)
    assert.is(proposed.length, 3)
    assert.is(count(), 4)
    assert.is((await push(hers, '--atomic', ...to('h', 'i'))).code, 0)
  } finally {
    await stop()
  }
})

test.run()
