import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endLeftovers } from '../../../src/git/process/end-leftovers.ts'
import { type Bench, openBench } from '../../support/git/repo.ts'

let bench: Bench

test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

/**
 * Starts a git process in its own group that waits for input, like one that outlived its server;
 * returns its end too.
 */
async function leftOver(name: string) {
  mkdirSync(join(bench.folder, name.split('/')[0]!), { recursive: true })
  const { dir } = await bench.create(name)
  const child = spawn('git', [`--git-dir=${dir}`, 'cat-file', '--batch'], { detached: true })
  const ended = new Promise<string | null>(resolve =>
    child.on('exit', (_code, signal) => resolve(signal)),
  )
  await new Promise(resolve => child.on('spawn', resolve))
  return { child, ended }
}

test('git processes that a killed server left in a folder are killed, and no others', async () => {
  const [one, other] = [await leftOver('staging/fetch-1'), await leftOver('spaces/a.git')]
  assert.is(await endLeftovers(join(bench.folder, 'staging')), 1)
  assert.is(await one.ended, 'SIGKILL')
  assert.is(await endLeftovers(join(bench.folder, 'staging')), 0)
  assert.is(other.child.exitCode, null)
  other.child.stdin.end()
  assert.is(await other.ended, null)
})

test.run()
