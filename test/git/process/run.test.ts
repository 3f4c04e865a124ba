import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gitEnvironment } from '../../../src/git/process/environment.ts'
import { checkGitVersion, runGit, streamGit } from '../../../src/git/process/run.ts'
import { commandError, GitError, isGitError } from '../../../src/git/values/errors.ts'
import { commitFiles, openBench } from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'

const failed = () => new GitError('failed', 'It failed.')

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

test('the environment is built from nothing', () => {
  process.env.GIT_DIR = '/somewhere'
  process.env.GIT_TRACE = '1'
  const env = gitEnvironment({ config: [['http.extraHeader', 'x']] })
  delete process.env.GIT_DIR
  delete process.env.GIT_TRACE
  assert.is(env.GIT_DIR, undefined)
  assert.is(env.GIT_TRACE, undefined)
  assert.is(env.GIT_ALLOW_PROTOCOL, '')
  const last = Number(env.GIT_CONFIG_COUNT) - 1

  assert.is(env[`GIT_CONFIG_KEY_${last}`], 'http.extraHeader')
  for (let i = 0; i <= last; i++) assert.type(env[`GIT_CONFIG_KEY_${i}`], 'string')
})

test('git uses our configuration and no other', async () => {
  const { stdout } = await runGit(null, ['config', '--list', '--show-scope'])
  for (const line of stdout.toString().trim().split('\n')) assert.match(line, /^command\t/)
  assert.match(stdout.toString(), /core\.hookspath=\/dev\/null/i)
})

test('our environment causes no advice of git', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    const oid = await commitFiles(repo, { 'a.md': 'a' })
    const { stdout, stderr } = await runGit(repo, ['rev-list', '--all'])
    assert.is(stdout.toString(), `${oid}\n`)
    assert.is(stderr, '')
  } finally {
    await bench.remove()
  }
})

test('the installed Git is recent enough', async () => {
  assert.match(await checkGitVersion(), /^\d+\.\d+/)
})

test('an exit code is returned with the output of git', async () => {
  const { code, stderr } = await runGit(null, ['no-such-command'])
  assert.is(code, 1)
  assert.match(stderr, /not a git command/)
})

test('too much output, a timeout or cancellation ends the command', async () => {
  const bench = await openBench()
  try {
    const repo = await bench.create()
    assert.is(await codeOf(runGit(null, ['help', '-a'], { maxStdout: 10 })), 'too_large')
    const slow = ['-c', 'alias.slow=!sleep 300', 'slow']
    const began = performance.now()

    assert.is(await codeOf(runGit(repo, slow, { timeoutMs: 100 })), 'timeout')
    const controller = new AbortController()

    setTimeout(() => controller.abort(), 100)
    assert.is(await codeOf(runGit(repo, slow, { signal: controller.signal })), 'aborted')
    assert.is(await codeOf(runGit(repo, slow, { signal: controller.signal })), 'aborted')
    assert.ok(performance.now() - began < 100_000, 'the whole group must end at once')
  } finally {
    await bench.remove()
  }
})

test('commands beyond the number of slots run one after the other', async () => {
  const results = await Promise.all(Array.from({ length: 30 }, () => runGit(null, ['version'])))
  assert.ok(results.every(result => result.code === 0))
})

test('a stream can be left early, and a failure is reported at the end', async () => {
  for await (const chunk of streamGit(null, ['help', '-a'], {}, failed)) {
    assert.ok(chunk.length > 0)
    break
  }
  const all = async () => {
    for await (const _ of streamGit(null, ['no-such-command'], {}, failed));
  }
  assert.is(await codeOf(all()), 'failed')
})

test("Git's stderr is mapped to a code and does not appear in the error", () => {
  const error = commandError('merge', 128, 'fatal: refusing to merge unrelated histories\u001b[31m')
  assert.is(error.code, 'unrelated')
  assert.not.match(JSON.stringify({ ...error, message: error.message }), /fatal/)
  assert.match(error.trace ?? '', /fatal: .*\?\[31m/)
  for (const said of ['No space left on device', 'write error. Out of diskspace'])
    assert.is(commandError('check a pack', 128, `fatal: ${said}`).code, 'no_space')
})

test('a process without free file descriptors reports it, leaks no slot, and continues when it can', () => {
  if (spawnSync('prlimit', ['--version']).status !== 0) return skip('prlimit is not installed')
  const room = new URL('../../../src/git/process/', import.meta.url)
  const script = `
    import { execFileSync } from 'node:child_process'
    import { closeSync, openSync } from 'node:fs'
    import { GitProcesses } from '${room}processes.ts'
    import { runGit } from '${room}run.ts'
    const said = []
    const tell = work => work.then(() => said.push('done'), error => said.push(error.code))
    await tell(runGit(null, ['version']))
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=100:'])
    const open = []
    try {
      for (;;) open.push(openSync('/dev/null', 'r'))
    } catch {}
    closeSync(open.pop())
    for (let i = 0; i < 10; i++) await tell(runGit(null, ['version']))
    const processes = new GitProcesses()
    await tell(processes.askFolder('/none', '${'0'.repeat(40)}', -1))
    await tell(processes.updateRef('/none').transact(''))
    for (const fd of open) closeSync(fd)
    await tell(runGit(null, ['version']))
    console.log(said.join(' '))`
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 120_000,
  })

  assert.is(stdout.trim(), `done ${'busy '.repeat(12)}done`, stderr)
})

test.run()
