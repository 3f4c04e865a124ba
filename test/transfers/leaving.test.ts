import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { encodeFetch } from '../../src/git/protocol/fetch-request.ts'
import { metricsText } from '../../src/metrics.ts'
import { fetchSpools } from '../../src/transfers/spools.ts'
import { countRunning } from '../../src/transfers/turns.ts'
import { type App, startApp } from '../support/app.ts'
import { commitFiles } from '../support/git/repo.ts'
import { until } from '../support/until.ts'

let app: App
let spaceId = ''
let head = ''

test.before(async () => {
  app = await startApp()
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Large' })
  spaceId = body.id
  head = await commitFiles(spaceRepository(app.ctx, spaceId), {
    'large.bin': randomBytes(20_000_000),
  })
})
test.after(() => app.stop())

/** Whether git still works for a clone of the space. */
const working = () =>
  readdirSync('/proc').some(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(
        `upload-pack\0--strict\0--stateless-rpc\0${app.dataDir}`,
      )
    } catch {
      return false
    }
  })

/**
 * Sends the request of a clone several times; `deepen` makes requests differ, so that they share no
 * answer.
 */
function clone(deepen: number, times = 1): Promise<Socket> {
  const body = encodeFetch([`want ${head}`, `deepen ${deepen}`, 'done'])
  const { hostname, port } = new URL(app.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const request =
        `POST /${spaceId}.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.admin.token}\r\n` +
        'Content-Type: application/x-git-upload-pack-request\r\nGit-Protocol: version=2\r\n' +
        `Content-Length: ${body.length}\r\n\r\n`
      for (let n = 0; n < times; n++) socket.write(Buffer.concat([Buffer.from(request), body]))
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

test('a client that leaves ends its process, unless another one waits for the same', async () => {
  const first = await clone(5)
  const second = await clone(5)
  await until('both clones run', () => (countRunning(app.ctx) === 2 ? true : undefined))
  await until('they share an answer', () =>
    fetchSpools(app.ctx).load.answers === 1 ? true : undefined,
  )
  first.destroy()
  await until('one clone is left', () => (countRunning(app.ctx) === 1 ? true : undefined))
  assert.is(fetchSpools(app.ctx).load.answers, 1)
  second.destroy()
  await until('no process is left', () => (working() ? undefined : true))

  // The server hears of the end of the process a moment later.
  await until('no clone is left', () => (countRunning(app.ctx) === 0 ? true : undefined))
})

test('a client that leaves ends the requests that wait behind its first one, too', async () => {
  const socket = await clone(7, 3)
  socket.pause()
  await until('a clone runs', () => (countRunning(app.ctx) > 0 ? true : undefined))
  await setTimeout(200)
  socket.destroy()
  await until('no clone is left', () => (countRunning(app.ctx) === 0 ? true : undefined))
})

test('a client that reads slowly holds no process', async () => {
  const socket = await clone(6)
  socket.pause()
  await until('git is done', () =>
    fetchSpools(app.ctx).load.bytes > 20_000_000 && !working() ? true : undefined,
  )
  assert.is(countRunning(app.ctx), 1)
  let bytes = 0

  socket.on('data', chunk => {
    bytes += chunk.length
  })
  socket.resume()
  await until('all of it is read', () => (bytes > 20_000_000 ? true : undefined))
  await until('the transfer ends', () => (countRunning(app.ctx) === 0 ? true : undefined))
  socket.destroy()
})

test('transfers are counted, by outcome and by whether they needed a process', async () => {
  const text = await until('the last transfer is counted', async () => {
    const shown = await metricsText(app.ctx, {})
    return /stemma_git_transfers_running 0/.test(shown) ? shown : undefined
  })
  assert.match(text, /stemma_git_transfers_total\{service="fetch",outcome="cut"\} [1-9]/)
  assert.match(text, /stemma_git_transfers_total\{service="fetch",outcome="ok"\} [1-9]/)
  assert.match(text, /stemma_git_spool_total\{result="made"\} [1-9]/)
  const sent = Number(/stemma_git_bytes_total\{direction="out"\} (\d+)/.exec(text)?.[1])
  assert.ok(sent > 20_000_000)
})

test.run()
