import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, rm, unlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endGroup, startChild } from '../../../src/git/process/child.ts'
import { keepLauncher, launcher } from '../../../src/git/process/launcher.ts'
import { runGit, spawnGit } from '../../../src/git/process/run.ts'
import { removeStaleLocks } from '../../../src/git/repositories/upkeep.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { zeroOid } from '../../../src/lib/oid.ts'
import { threadFile } from '../../../src/lib/thread-file.ts'
import { commitFiles, openBench } from '../../support/git/repo.ts'
import { until } from '../../support/until.ts'

let stop: () => void

/** Returns the ids of processes whose parent is this one. */
const childrenOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (isGitError(error) ? error.code : String(error)),
  )

const forkLauncher = (env: Record<string, string> = {}) =>
  fork(fileURLToPath(threadFile('launcher').url), [], {
    env: { ...process.env, ...env },
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })

test.before(async () => {
  if (process.platform !== 'linux') process.exit(0)
  stop = keepLauncher()
  await until('a launcher runs', () => launcher())
})
test.after(() => stop())

test('git is started by the launcher, with our environment', async () => {
  const child = startChild(['sh', '-c', 'echo $PPID'], { PATH: '/usr/bin:/bin' })
  let parent = ''
  for await (const chunk of child.stdout) parent += chunk
  assert.ok(childrenOf(process.pid).includes(parent.trim()))
  // As a supervisor does that stops a service: the server may still need git.
  process.kill(Number(parent), 'SIGTERM')
  const { stdout } = await runGit(null, ['config', '--list', '--show-scope'])
  assert.match(stdout.toString(), /^command\tcore\.hookspath=\/dev\/null/m)
})

test('megabytes of input and output pass unchanged, for many commands at once', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    const contents = Array.from({ length: 24 }, (_, n) => randomBytes(n * 100_000))
    await Promise.all(
      contents.map(async content => {
        const { stdout } = await runGit(repo, ['hash-object', '-w', '--stdin'], { input: content })
        const oid = stdout.toString().trim()
        const header = `blob ${content.length}\0`
        assert.is(oid, createHash('sha1').update(header).update(content).digest('hex'))
        const read = await runGit(repo, ['cat-file', 'blob', oid])
        assert.ok(read.stdout.equals(content))
      }),
    )
  } finally {
    await bench.remove()
  }
})

test('objects are read and refs are moved by processes of the launcher', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    const oid = await commitFiles(repo, { 'a.md': 'a' })
    assert.is((await repo.processes.askFolder(repo.dir, oid, -1))?.type, 'commit')
    await repo.processes.updateRef(repo.dir).transact(`create refs/heads/x\0${oid}\0`)
    const taken = repo.processes.updateRef(repo.dir).transact(`create refs/heads/x\0${oid}\0`)
    assert.match(await codeOf(taken), /ref/)
    await repo.processes.updateRef(repo.dir).transact(`delete refs/heads/x\0${oid}\0`)
    assert.is(await repo.processes.askFolder(repo.dir, zeroOid, -1), undefined)
  } finally {
    await bench.remove()
  }
})

test('a lock of an earlier server is removed while a process of the launcher reads the repository', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    const oid = await commitFiles(repo, { 'a.md': 'a' })
    assert.is((await repo.processes.askFolder(repo.dir, oid, -1))?.type, 'commit')
    const since = Date.now() - 60_000
    const lock = join(repo.dir, 'HEAD.lock')
    writeFileSync(lock, '')
    utimesSync(lock, since / 1000 - 1, since / 1000 - 1)
    assert.equal(await removeStaleLocks(repo, { since }), ['HEAD.lock'])
  } finally {
    await bench.remove()
  }
})

for (const way of ['the launcher', 'the server itself'])
  test(`a program that ${way} starts writes to a file, whose name is removed`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stemma-output-'))
    const kept = launcher()!
    try {
      const path = join(folder, 'output')
      const file = await open(path, 'wx+')
      const output = { path, fd: file.fd, forget: () => unlink(path).catch(() => {}) }
      if (way === 'the server itself') stop()
      assert.is(launcher() === kept, way === 'the launcher')
      const child = startChild(
        ['sh', '-c', 'echo to a file; echo error >&2'],
        { PATH: '/usr/bin:/bin' },
        output,
      )
      const closed = once(child, 'close')

      assert.equal([await text(child.stdout), await text(child.stderr)], ['', 'error\n'])
      assert.equal(await closed, [0, null])
      assert.is(
        (await file.read(Buffer.alloc(20), 0, 20, 0)).buffer.toString('utf8', 0, 10),
        'to a file\n',
      )
      assert.equal(readdirSync(folder), [])
      await file.close()
    } finally {
      await rm(folder, { recursive: true })
      if (!launcher()) stop = keepLauncher()
      await until('a launcher runs', () => launcher())
    }
  })

test('exit codes and errors are those of git, also when it does not read its input', async () => {
  const { code, stderr } = await runGit(null, ['no-such-command'], {
    input: randomBytes(5_000_000),
  })
  assert.is(code, 1)
  assert.match(stderr, /not a git command/)
})

test('a program that cannot be started is an error', async () => {
  assert.is(await codeOf(runGit(null, ['version'], { wrapper: ['/no/such/program'] })), 'failed')
})

test('limits end the whole group, even before the program runs', async () => {
  const slow = ['-c', 'alias.slow=!sleep 300', 'slow']
  assert.is(await codeOf(runGit(null, slow, { timeoutMs: 50 })), 'timeout')
  assert.is(await codeOf(runGit(null, ['help', '-a'], { maxStdout: 10 })), 'too_large')
  const child = startChild(['sleep', '300'], { PATH: '/usr/bin:/bin' })

  endGroup(child)
  const [code, signal] = await new Promise<unknown[]>(resolve =>
    child.once('close', (...all) => resolve(all)),
  )

  assert.equal([code, signal], [null, 'SIGTERM'])
})

test('when the launcher is killed, its programs end, commands go on without it, and another one starts', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    const before = launcher()
    const child = spawnGit(repo.dir, ['cat-file', '--batch'])
    await new Promise(resolve => child.once('spawn', resolve))
    const ended = new Promise<unknown[]>(resolve => child.once('close', (...all) => resolve(all)))
    const parent = /\nPPid:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]

    process.kill(Number(parent), 'SIGKILL')
    assert.equal(await ended, [null, 'SIGKILL'])
    await until('its program ends', () => !existsSync(`/proc/${child.pid}`) || undefined)
    assert.is((await runGit(null, ['version'])).code, 0)
    await until('another launcher runs', () => (launcher() === before ? undefined : launcher()))
    assert.is((await runGit(null, ['version'])).code, 0)
  } finally {
    await bench.remove()
  }
})

test('commands that start while the launcher is killed succeed or fail, and the server goes on', async () => {
  for (let round = 0; round < 3; round++) {
    const killed = await until('a launcher runs', () => launcher())
    const child = startChild(['sh', '-c', 'echo $PPID'], { PATH: '/usr/bin:/bin' })
    child.on('error', () => {}) // its output may come before its process id
    const parent = Number(await text(child.stdout))
    const codes = Array.from({ length: 20 }, () => codeOf(runGit(null, ['version'])))

    process.kill(parent, 'SIGKILL')

    for (let more = 0; more < 20; more++) {
      codes.push(codeOf(runGit(null, ['version'])))
      await setImmediate()
    }

    for (const code of await Promise.all(codes)) assert.match(code, /^(?:no error|failed|busy)$/)

    // Until then, a command may be sent to the killed launcher.
    await until('its end is noticed', () => launcher() !== killed || undefined)
    assert.is((await runGit(null, ['version'])).code, 0)
  }
})

test('a launcher that is stopped leaves no folder and no program', async () => {
  await until('a launcher runs', () => launcher())
  const folders = () => readdirSync(tmpdir()).filter(name => name.startsWith('stemma-launcher-'))
  const own = folders()
  const child = startChild(['sleep', '300'], { PATH: '/usr/bin:/bin' })

  await new Promise(resolve => child.once('spawn', resolve))
  stop()
  await new Promise(resolve => child.once('close', resolve))
  await until('its folder is removed', () => folders().length < own.length || undefined)
  assert.is((await runGit(null, ['version'])).code, 0)
})

test('programs that write to files end with the server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-output-'))
  const child = forkLauncher()
  try {
    const [{ path }] = await once(child, 'message')
    const output = join(folder, 'output')
    await writeFile(output, '')
    for (const stream of [0, 2])
      connect({ path, allowHalfOpen: true }).end(`1 ${stream}`.padEnd(16))
    child.send({ id: 1, argv: ['sleep', '300'], env: { PATH: '/usr/bin:/bin' }, output })
    const [{ pid }] = await once(child, 'message')

    assert.ok(existsSync(`/proc/${pid}`))
    child.disconnect()
    await until('its program ends', () => !existsSync(`/proc/${pid}`) || undefined)
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
})

test('a launcher that cannot make its socket says so in one line', async () => {
  const child = forkLauncher({ TMPDIR: '/dev/null/folder' })
  const said = await text(child.stderr!)
  assert.is(
    said,
    `Git is started by the server itself, which takes longer: ENOTDIR: not a directory, mkdtemp '/dev/null/folder/stemma-launcher-XXXXXX'.\n`,
  )
})

test('a launcher whose server has ended before it runs ends, too', async () => {
  const child = forkLauncher()
  child.disconnect()
  const [code] = await once(child, 'exit')
  assert.is(code, 0)
})

test.run()
