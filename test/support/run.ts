import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { compileTests } from './compile.ts'
import { doneMark } from './run-files.ts'

/**
 * Runs the test files, a few at once, each process some of them, and ends with "N passed, N failed".
 * A file that runs no test counts as failed: a uvu file that forgets `.run()` passes by doing nothing.
 * Arguments narrow the run to files whose path contains one of them.
 */
type Result = { file: string; passed: number; failed: number; skipped: number; output: string; ms: number }

const wanted = process.argv.slice(2)
/** What needs a process of its own: it changes what a process has once, is killed, or looks at what processes hold. */
const alone = /^test\/(?:damage|crash|power|corpora|cli|guards)\/|^test\/git\/run\.|^test\/scripts\./
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => join('test', file))
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
  .sort()
  // What takes longest is among these: nobody waits for them at the end.
  .sort((a, b) => Number(alone.test(b)) - Number(alone.test(a)))
const limitMs = Number(process.env.TEST_TIMEOUT_MS ?? 900_000)

const count = (output: string, label: string) =>
  Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1] ?? 0)

/** A process takes no more files after so many, or once it holds so many bytes. */
const mostFiles = 12
const mostBytes = 700 * 1024 * 1024

type Runner = { child: ChildProcess; files: number; take: (heard: (text: string | null) => void) => void }

function startRunner(): Runner {
  const child = spawn(process.execPath, ['--enable-source-maps', compiled('test/support/run-files.ts')], {
    env: { ...process.env, FORCE_COLOR: '0', NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let hear: (text: string | null) => void = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => hear(text))
  child.on('close', () => hear(null))
  return {
    child,
    files: 0,
    take: heard => {
      hear = heard
    },
  }
}

/** Runs a file in this process; says whether the process can take another. */
function runFile(file: string, runner: Runner): Promise<{ result: Result; again: boolean }> {
  const started = Date.now()
  const { child } = runner
  return new Promise(resolve => {
    let output = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    const finish = (broken: boolean, again: boolean) => {
      clearTimeout(timer)
      runner.take(() => {})
      const total = count(output, 'Total')
      const passed = count(output, 'Passed')
      const failed = total === 0 ? 1 : Math.max(total - passed, broken ? 1 : 0)
      const result = {
        file,
        passed,
        failed,
        skipped: count(output, 'Skipped'),
        output,
        ms: Date.now() - started,
      }
      resolve({ result, again: again && failed === 0 })
    }
    runner.take(text => {
      if (text === null) return finish(true, false)
      output += text
      const mark = output.indexOf(doneMark)
      const end = output.indexOf('\n', mark)
      if (mark < 0 || end < 0) return
      const { failed, rss } = JSON.parse(output.slice(mark + doneMark.length, end))
      output = output.slice(0, mark)
      finish(failed, ++runner.files < mostFiles && rss < mostBytes)
    })
    child.send(compiled(file))
  })
}

const compiled = await compileTests()
const results: Result[] = []
const queue = [...files]
async function work() {
  let runner: Runner | undefined
  const end = () => {
    if (runner?.child.connected) runner.child.disconnect()
    runner = undefined
  }
  for (let file = queue.shift(); file; file = queue.shift()) {
    if (alone.test(file)) end()
    runner ??= startRunner()
    const { result, again } = await runFile(file, runner)
    if (!again || alone.test(file)) end()
    results.push(result)
    const mark = result.failed ? 'FAIL' : 'ok  '
    console.log(`${mark} ${result.file} ${result.passed} passed, ${result.failed} failed (${result.ms} ms)`)
    if (result.failed) console.log(result.output.trimEnd())
    else for (const line of result.output.match(/^skipped: .*$/gm) ?? []) console.log(`     ${line}`)
  }
  end()
}
// One more than there are processors: tests wait for the disk, too.
await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 1) }, work))

const sum = (pick: (result: Result) => number) => results.reduce((total, result) => total + pick(result), 0)
const [passed, failed] = [sum(result => result.passed), sum(result => result.failed)]
console.log(`\n${files.length} files, ${sum(result => result.skipped)} skipped`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0
