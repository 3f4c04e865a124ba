import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumPath, serveChromium } from '../../browser/chromium.ts'
import { isLongRun } from '../long-run.ts'
import { skipMark } from '../skip.ts'
import { changedFiles, commitNumber } from './commit.ts'
import { compileTests, toSources } from './compile.ts'
import { knownFailure } from './exceptions.ts'
import { type Importers, importing, nearest } from './nearest.ts'
import { openRamDisk } from './ram-disk.ts'
import {
  light,
  longestFirst,
  partOfLists,
  postgresShareOf,
  secondRing,
  shareOf,
  weights,
  weightsFile,
} from './rings.ts'
import { doneMark } from './run-files.ts'

/**
 * Runs the test files of this commit, a few at once, several per process, and ends with "N passed,
 * N failed". A file that runs no test counts as failed: a uvu file that forgets `.run()` passes
 * without doing anything. Words run the files whose paths contain one of them, `--all` every file,
 * and `--changed` the nearest files to what was changed since main, for about two minutes.
 * `--weigh` keeps what the files used. With TEST_DATABASE=postgres, a plain run has a part of the files
 * that start servers.
 */
type Result = {
  file: string
  passed: number
  failed: number
  skipped: number
  output: string
  ms: number
  /** Processor time of the file's tests and of the processes that they started. */
  cpuMs: number
}

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: isLongRun },
    changed: { type: 'boolean' },
    weigh: { type: 'boolean' },
  },
})
const chromiumFile = 'test/browser/chromium.ts'
const startsFresh =
  /^test\/(?:git\/process\/run|cli\/serve|damage\/full-disk|store\/engine\/running-twice)\./
const changesClocks = /\b(?:Date|performance)\.now = /

/**
 * Returns whether a file needs a new process: it checks what processes hold, or what signals do to
 * this one, or it runs other files with other settings.
 */
const needsNewProcess = (file: string): boolean => startsFresh.test(file)

/**
 * Returns whether no file can run in the process after this one. A server does not delete anything
 * by age for an hour after the clocks of its process have jumped.
 */
const endsProcess = (file: string): boolean =>
  startsFresh.test(file) || changesClocks.test(readFileSync(file, 'utf8'))

/** Whether this run has a share of the second ring, and of long tables. */
const isSample = !options.all && !options.changed && wanted.length === 0

/** Processor time for the files of `--changed`: two processors work for two minutes. */
const changedMs = 200_000

function chooseFiles(importers: Importers): string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.ts'))
    .map(file => join('test', file))
  if (wanted.length > 0) return all.filter(file => wanted.some(part => file.includes(part)))
  if (options.changed) {
    const { files, left } = nearest(changedFiles(), all, importers, changedMs)
    if (left > 0) console.log(`${left} files are further away from the change and do not run.`)
    return files
  }

  if (!isSample) return all
  if (process.env.TEST_DATABASE === 'postgres') {
    const isServer = importing('test/support/app.ts', importers)
    return postgresShareOf(commitNumber, all.filter(isServer))
  }

  const share = shareOf(commitNumber)

  return all.filter(file => !secondRing.includes(file) || share.includes(file))
}

const limitMs = Number(process.env.TEST_TIMEOUT_MS ?? 900_000)

const count = (output: string, label: string) =>
  Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1] ?? 0)

/** The lines of tests that ended early with `skip`. */
const skipsIn = (output: string): string[] =>
  output.split('\n').filter(line => line.startsWith(skipMark))

/**
 * A process takes no more files once it holds this many bytes after its garbage is collected. A new
 * one loads two and a half thousand modules again, and compiles the schemas of responses again.
 */
const mostBytes = 700 * 1024 * 1024

type Runner = {
  child: ChildProcess
  isFull: boolean
  take: (heard: (text: string | null) => void) => void
}

function startRunner(): Runner {
  // Tests leave much garbage behind: with a larger young generation, less of it is copied before it
  // is collected.
  const flags = ['--max-semi-space-size=32']
  const child = spawn(process.execPath, [...flags, compiled('test/support/runner/run-files.ts')], {
    env: {
      ...process.env,
      ...ramDisk,
      ...(browser && { TEST_BROWSER: browser.wsEndpoint() }),
      FORCE_COLOR: '0',
      NODE_ENV: 'test',
      TEST_SEED: String(commitNumber),
      ...(isSample && { TEST_SHARE: String(partOfLists(commitNumber)) }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let hear: (text: string | null) => void = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => hear(text))
  child.on('close', () => hear(null))

  return {
    child,
    isFull: false,
    take: heard => {
      hear = heard
    },
  }
}

/** Runs a file in this process. Also returns whether the process can run another file. */
function runFile(file: string, runner: Runner): Promise<{ result: Result; again: boolean }> {
  const started = Date.now()
  const { child } = runner
  return new Promise(resolve => {
    let output = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    const finish = (broken: boolean, again: boolean, cpuMs = 0) => {
      clearTimeout(timer)
      runner.take(() => {})
      const total = count(output, 'Total')
      const cutShort = skipsIn(output).length
      const skipped = count(output, 'Skipped') + cutShort
      const uvuPassed = count(output, 'Passed')
      const failed = total + skipped === 0 ? 1 : Math.max(total - uvuPassed, broken ? 1 : 0)
      const passed = Math.max(0, uvuPassed - cutShort)
      const ms = Date.now() - started

      resolve({
        result: { file, passed, failed, skipped, output, ms, cpuMs },
        again: again && failed === 0,
      })
    }

    runner.take(text => {
      if (text === null) return finish(true, false)
      output += text
      const mark = output.indexOf(doneMark)
      const end = output.indexOf('\n', mark)
      if (mark < 0 || end < 0) return
      const { failed, rss, cpuMs } = JSON.parse(output.slice(mark + doneMark.length, end))
      output = output.slice(0, mark)
      runner.isFull = rss > mostBytes
      finish(failed, true, cpuMs)
    })
    child.send(compiled(file))
  })
}

/**
 * Builds the program unless dist/ is up to date: tests start it often, and from its sources that
 * takes five times as long.
 */
async function buildProgram(): Promise<void> {
  const { digestOfSources } = (await import('../../../bin/sources.js' as string)) as {
    digestOfSources: () => string
  }
  if (existsSync('dist/sources') && readFileSync('dist/sources', 'utf8') === digestOfSources())
    return
  const child = spawn(process.execPath, ['bin/build.js'], { stdio: 'inherit' })
  await new Promise(resolve => child.on('close', resolve))
}

const ramDisk = openRamDisk()
const [{ compiled, importers }] = await Promise.all([compileTests(), buildProgram()])
const files = longestFirst(chooseFiles(importers))
/** The browser of all files that need one. A file's connection has contexts of its own. */
const browser =
  chromiumPath && files.some(file => importers.get(chromiumFile)?.has(file))
    ? await serveChromium()
    : undefined
const results: Result[] = []
const isLast = (file: string) => endsProcess(file) && !needsNewProcess(file)
/** Files that end their process, which run when it ends anyway. */
const lastOnes = files.filter(isLast)
/** What needs a new process comes first, while there is none that it would end. */
const queue = [...files.filter(needsNewProcess), ...files.filter(file => !endsProcess(file))]

async function work() {
  let runner: Runner | undefined
  const end = () => {
    if (runner?.child.connected) runner.child.disconnect()
    runner = undefined
  }
  const next = () => (runner?.isFull && lastOnes.shift()) || queue.shift() || lastOnes.shift()

  for (let file = next(); file; file = next()) {
    if (needsNewProcess(file) || (runner?.isFull && !isLast(file))) end()
    runner ??= startRunner()
    const { result, again } = await runFile(file, runner)
    if (!again || endsProcess(file)) end()
    excuse(result)
    results.push(result)
    report(result)
  }

  end()
}

/** Counts failures that are known on PostgreSQL as skipped, with their reason. */
function excuse(result: Result): void {
  const reason = result.failed > 0 && knownFailure(result.file, result.failed)
  if (!reason) return
  result.skipped += result.failed
  result.output = `${skipMark}${result.failed} on PostgreSQL: ${reason}`
  result.failed = 0
}

function report({ file, passed, failed, skipped, output, ms, cpuMs }: Result): void {
  const counts = `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
  console.log(`${failed ? 'FAIL' : 'ok  '} ${file} ${counts} (${ms} ms, ${cpuMs} ms of CPU)`)
  if (failed) console.log(toSources(output.trimEnd()))
  else for (const line of skipsIn(output)) console.log(`     ${line}`)
}

/**
 * Keeps the weights of files that did not run now and are still there. A file that waits for most
 * of its time counts for a third of that: it has to start early, too.
 */
function writeWeights(): void {
  const known = Object.entries(weights).filter(([file]) => existsSync(file))
  const used = results.map(({ file, cpuMs, ms }) => {
    const weight = Math.max(cpuMs, ms / 3)
    return [file, Math.round(weight / 100) * 100] as const
  })
  const heavy = [...new Map([...known, ...used])].filter(([, ms]) => ms > light)
  const sorted = Object.fromEntries(heavy.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(weightsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

// One more than there are processors: tests wait for the disk, too.
await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 1) }, work))

await browser?.close()
if (options.weigh) writeWeights()
const sum = (pick: (result: Result) => number) =>
  results.reduce((total, result) => total + pick(result), 0)
const [passed, failed] = [sum(result => result.passed), sum(result => result.failed)]
const cpuSeconds = Math.round(sum(result => result.cpuMs) / 1000)
console.log(
  `\n${files.length} files, ${sum(result => result.skipped)} skipped, ${cpuSeconds} s of CPU, TEST_SEED=${commitNumber}`,
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0
