import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { listRefs } from '../../../src/git/refs/refs.ts'
import { parseRemoteUrl } from '../../../src/git/remotes/remote-url.ts'
import { listRemoteRef, type Remote, resolveRemote } from '../../../src/git/remotes/remotes.ts'
import { type FetchOptions, fetchRemote } from '../../../src/git/remotes/staging.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { cpuTime, cpuTimeOfChildren } from '../../support/cpu-time.ts'
import { type GitServer, serveGit } from '../../support/git/git-server.ts'
import {
  copyDelta,
  droning,
  homeEntries,
  type PackEntry,
  packOf,
  sendingPack,
} from '../../support/git/raw-pack.ts'
import { type Bench, commitFiles, main, openBench } from '../../support/git/repo.ts'

type Context = { bench: Bench; ours: Repository; server: GitServer }
const test = suite<Context>('fetch limits')

test.before.each(async context => {
  context.bench = await openBench()
  context.ours = await context.bench.create('ours.git')
  context.server = await serveGit({ folder: context.bench.folder })
})
test.after.each(async ({ bench, server }) => {
  await server.close()
  await bench.remove()
})

const policy = { allowPrivate: true }
const noNames = () => Promise.reject(new Error('no names here'))
const remoteAt = (port: number): Promise<Remote> =>
  resolveRemote(parseRemoteUrl(`http://127.0.0.1:${port}/theirs.git`, policy), policy, noNames)

/** Fetches "main" and returns the error code; checks that a failed fetch leaves nothing behind. */
async function endOf({ bench, ours, server }: Context, options: Partial<FetchOptions> = {}) {
  const stagingDir = join(bench.folder, 'staging')
  const remote = await remoteAt(server.port)
  try {
    await fetchRemote(ours, remote, { ref: main, stagingDir, ...options })
    return 'success'
  } catch (error) {
    if (!isGitError(error)) throw error
    assert.equal(readdirSync(stagingDir), [])
    assert.equal(readdirSync(join(ours.dir, 'objects/pack')), [])
    assert.is((await listRefs(ours, 'refs/')).size, 0)
    return `${error.code} ${error.detail.what ?? ''}`.trim()
  }
}

/** An endless stream of random blobs. */
function* endless() {
  const { entries } = homeEntries()
  const pack = packOf([...entries, { type: 'blob', content: Buffer.alloc(1) }])
  pack.writeUInt32BE(1_000_000, 8)
  yield pack.subarray(0, -20)
  const noise = Buffer.alloc(1_000_000, 'x')

  for (;;) {
    for (let at = 0; at < noise.length; at += 1000)
      noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, at)
    yield packOf([{ type: 'blob', content: noise }]).subarray(12, -20)
  }
}

test('a pack that never ends is cut at the limit', async context => {
  context.server.mode = sendingPack(homeEntries().commit, endless())
  assert.is(await endOf(context, { limits: { packBytes: 3_000_000 } }), 'too_large packBytes')
})

test('a host that reports progress forever is cut off in time', async context => {
  const progress = (function* () {
    for (;;) yield Buffer.from('Counting objects: 1% (1/100)\r'.repeat(100))
  })()
  context.server.mode = sendingPack(homeEntries().commit, progress, 2)
  assert.is(await endOf(context, { timeoutMs: 1500 }), 'timeout')
})

const floor = {
  graceMs: 200,
  windowMs: 600,
  bytesPerSecond: 10_000,
  objectsPerSecond: 100,
  finishMs: 600,
}

test('a host that sends progress messages instead of a pack is too slow, whatever they say', async context => {
  context.server.mode = sendingPack(homeEntries().commit, droning())
  assert.is(await endOf(context, { floor }), 'too_slow')
})

test('a host that sends a pack byte by byte is too slow', async context => {
  const { entries, commit } = homeEntries()
  const drip = async function* () {
    yield packOf(entries).subarray(0, 40)
    for (const byte of packOf([
      ...entries,
      { type: 'blob', content: Buffer.alloc(9_000, 'x') },
    ]).subarray(40)) {
      yield Buffer.from([byte])
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  context.server.mode = sendingPack(commit, drip())
  assert.is(await endOf(context, { floor }), 'too_slow')
})

test('a host that has sent its pack but keeps the connection open is too slow', async context => {
  const { entries, commit } = homeEntries()
  context.server.mode = sendingPack(commit, droning([packOf(entries)]))
  assert.is(await endOf(context, { floor }), 'too_slow')
})

test('a slow host is tolerated while its pack grows', async context => {
  const { entries, commit } = homeEntries()
  const noise = { type: 'blob', content: randomBytes(30_000) } as const
  const pack = packOf([...entries, noise])
  const slowly = async function* () {
    for (let at = 0; at < pack.length; at += 1_000) {
      yield pack.subarray(at, at + 1_000)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  context.server.mode = sendingPack(commit, slowly())
  assert.is(
    await endOf(context, { floor: { ...floor, windowMs: 1_000, bytesPerSecond: 50 } }),
    'success',
  )
})

test('a pack that unpacks without bound is stopped by the memory limit', async context => {
  const { entries, commit } = homeEntries()
  const base = 16_000_000
  const bombs = Array.from(
    { length: 8 },
    (_, i): PackEntry => ({ type: 'delta', base: 4, content: copyDelta(base, base, 70, `${i}`) }),
  )

  const pack = packOf([
    ...entries,
    { type: 'blob', content: Buffer.alloc(64_000) },
    { type: 'delta', base: 3, content: copyDelta(64_000, 64_000, 250) },
    ...bombs,
  ])

  context.server.mode = sendingPack(commit, [pack])
  assert.is(await endOf(context), 'too_large work')
})

test('chains of deltas cost no more than other objects', async context => {
  const { entries, commit } = homeEntries()
  const first = entries.length
  const chain = Array.from(
    { length: 30_000 },
    (_, i): PackEntry => ({
      type: 'delta',
      base: first + i,
      content: copyDelta(i === 0 ? 1 : 1 + `${i - 1}`.length, 1, 1, `${i}`),
    }),
  )
  const pack = packOf([...entries, { type: 'blob', content: Buffer.from('x') }, ...chain])

  context.server.mode = sendingPack(commit, [pack])
  const [ours, gits] = [cpuTime(), cpuTimeOfChildren()]

  await endOf(context)
  assert.ok(cpuTime() - ours + cpuTimeOfChildren() - gits < 15_000)
})

test('a host that writes more than its pack does no harm', async context => {
  const { entries, commit } = homeEntries()
  context.server.mode = sendingPack(commit, [
    Buffer.concat([packOf(entries), Buffer.alloc(1_000_000)]),
  ])
  assert.match(await endOf(context), /^(bad_objects|success)/)
})

test('the repository limit includes the fetch', async context => {
  await commitFiles(await context.bench.create('theirs.git'), {
    'a.bin': Buffer.alloc(100_000, 'x'),
  })
  assert.is(await endOf(context, { limits: { repositoryBytes: 100 } }), 'too_large repositoryBytes')
  assert.is(await endOf(context, { limits: { repositoryBytes: 1_000_000 } }), 'success')
})

test('a host that accepts no connection times out', async () => {
  // The process is stopped, so the system accepts connections only until the queue is full.
  const script = `require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = await once(child.stdout, 'data')
  const port = Number(String(chunk))

  child.kill('SIGSTOP')
  const sockets = Array.from({ length: 4 }, () =>
    createConnection(port, '127.0.0.1').on('error', () => {}),
  )

  await new Promise(resolve => setTimeout(resolve, 200))

  try {
    const end = listRemoteRef(await remoteAt(port), main, { timeoutMs: 500 })
    assert.ok(isGitError(await end.catch((reason: unknown) => reason), 'timeout'))
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  }
})

test.run()
