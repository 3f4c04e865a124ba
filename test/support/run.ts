import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { compileTests } from './compile.ts'

/**
 * Runs every test file in a process of its own, a few at once, and ends with "N passed, N failed".
 * A file that runs no test counts as failed: a uvu file that forgets `.run()` passes by doing nothing.
 * Arguments narrow the run to files whose path contains one of them.
 */
type Result = { file: string; passed: number; failed: number; skipped: number; output: string; ms: number }

const wanted = process.argv.slice(2)
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => join('test', file))
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
  .sort()
const limitMs = Number(process.env.TEST_TIMEOUT_MS ?? 180_000)

const count = (output: string, label: string) =>
  Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1] ?? 0)

function runFile(file: string): Promise<Result> {
  const started = Date.now()
  return new Promise(resolve => {
    const child = spawn(process.execPath, ['--enable-source-maps', compiled(file)], {
      env: { ...process.env, FORCE_COLOR: '0', NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.stdout.on('data', chunk => {
      output += chunk
    })
    child.stderr.on('data', chunk => {
      output += chunk
    })
    child.on('close', code => {
      clearTimeout(timer)
      const total = count(output, 'Total')
      const passed = count(output, 'Passed')
      const failed = total === 0 ? 1 : Math.max(total - passed, code === 0 ? 0 : 1)
      resolve({ file, passed, failed, skipped: count(output, 'Skipped'), output, ms: Date.now() - started })
    })
  })
}

const compiled = await compileTests()
const results: Result[] = []
const queue = [...files]
async function work() {
  for (let file = queue.shift(); file; file = queue.shift()) {
    const result = await runFile(file)
    results.push(result)
    const mark = result.failed ? 'FAIL' : 'ok  '
    console.log(`${mark} ${result.file} ${result.passed} passed, ${result.failed} failed (${result.ms} ms)`)
    if (result.failed) console.log(result.output.trimEnd())
    else for (const line of result.output.match(/^skipped: .*$/gm) ?? []) console.log(`     ${line}`)
  }
}
// One more than there are processors: tests wait for the disk, too.
await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 1) }, work))

const sum = (pick: (result: Result) => number) => results.reduce((total, result) => total + pick(result), 0)
const [passed, failed] = [sum(result => result.passed), sum(result => result.failed)]
console.log(`\n${files.length} files, ${sum(result => result.skipped)} skipped`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0
