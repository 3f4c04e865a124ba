import { createServer } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import type { Response } from 'express'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packet } from '../../src/git/protocol/packets.ts'
import { isGitError } from '../../src/git/values/errors.ts'
import { startTransfer } from '../../src/transfers/record.ts'
import { countRunning } from '../../src/transfers/turns.ts'
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

test.run()
