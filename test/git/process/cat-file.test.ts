import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CatFile } from '../../../src/git/process/cat-file.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { type Bench, gitOutside, openBench } from '../../support/git/repo.ts'

let bench: Bench

test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

/** Blocks the event loop, so that answers wait in the pipe. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('the late answer to a timed-out request is not delivered to the next one', async () => {
  const repo = await bench.create()
  const write = (text: string) =>
    asOid(gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], text))
  const [first, second] = [write('first'), write('second')]
  const cat = new CatFile(repo.dir)

  await cat.ask(first, 100)
  const late = cat.ask(first, 100).catch((error: unknown) => error)
  const next = cat.ask(second, 100)

  await new Promise(resolve => setImmediate(resolve))
  block(300)
  cat.endIfStuck(0)
  assert.ok(isGitError(await late, 'timeout'))
  const answer = await next

  assert.is(answer?.oid, second)
  assert.is(answer?.content?.toString(), 'second')
  cat.close()
})

/** The arguments of a process, as one line; '' when it has ended. */
function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('a request that was not sent before the repository is closed starts no process', async () => {
  const repo = await bench.create('b.git')
  const oid = asOid(gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'text'))
  const cat = new CatFile(repo.dir)
  const asked = cat.ask(oid, 100).catch((error: unknown) => error)

  cat.close()
  assert.ok(isGitError(await asked, 'closed'))
  await setTimeout(100)

  // The launcher starts it: it would be no child of this process.
  const running = readdirSync('/proc').filter(name => /^\d+$/.test(name))

  assert.equal(
    running.map(lineOf).filter(line => line.includes(repo.dir)),
    [],
  )
})

test.run()
