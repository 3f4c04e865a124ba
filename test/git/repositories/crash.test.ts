import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isAncestor } from '../../../src/git/commits/merge.ts'
import { readCommit } from '../../../src/git/objects/objects.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { fsckRepository, removeStaleLocks } from '../../../src/git/repositories/upkeep.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { type Bench, commitFiles, fsck, main, openBench } from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'
import { until } from '../../support/until.ts'

const test = suite<{ bench: Bench }>('crash')
test.before.each(async context => {
  context.bench = await openBench()
})
test.after.each(({ bench }) => bench.remove())

/**
 * Starts a process that commits endlessly and prints each acknowledged commit; kills it after a
 * while.
 */
function writeUntilKilled(dir: string, ms: number): Promise<string[]> {
  const script = `
    import { GitProcesses } from './src/git/process/processes.ts'
    import { commitFiles } from './test/support/git/repo.ts'
    const repo = { dir: process.argv[1], processes: new GitProcesses() }
    const pages = (i, count) => Array.from({ length: count }, (_, n) => ['d' + (i % 5) + '/' + n + '.md', 'page ' + i + ' ' + Math.random()])
    for (let i = 0; ; i++) console.log(await commitFiles(repo, Object.fromEntries(pages(i, i % 2 ? 40 : 1))))`
  return new Promise(resolve => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script, dir]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', chunk => {
      if (out === '') setTimeout(() => child.kill('SIGKILL'), ms)
      out += chunk
    })
    child.on('close', () => resolve(out.split('\n').filter(line => line.length === 40)))
  })
}

/** Returns whether a process has this folder in its command line. */
const isUsed = (dir: string): boolean =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .some(pid => lineOf(pid).includes(dir))

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('a killed writer loses nothing it acknowledged and leaves no obstacles', async ({ bench }) => {
  const repo = await bench.create()
  for (const ms of [37, 101, 58, 143]) {
    const acknowledged = await writeUntilKilled(repo.dir, ms)
    await until('its git children have ended', () => (isUsed(repo.dir) ? undefined : true))
    await removeStaleLocks(repo)
    const head = (await readRef(repo, main))!

    assert.ok(await isAncestor(repo, asOid(acknowledged.at(-1)!), head))
    assert.equal(await fsckRepository(repo), [])
    await commitFiles(repo, { 'after.md': `${ms} ${head}` })
    bench.processes.closeRepository(repo.dir)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
})

test('on a full disk a change is refused as a whole, and succeeds once there is space', async ({
  bench,
}) => {
  const small = join(bench.folder, 'small')
  mkdirSync(small)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]).status !== 0)
    return skip('mounting a small disk needs root')

  try {
    const repo = await bench.create('small/a.git')
    const head = await commitFiles(repo, { 'a.md': 'a' })
    const noise = Buffer.from(
      Array.from({ length: 1_500_000 }, () => Math.floor(Math.random() * 256)),
    )
    const error = await commitFiles(repo, {
      'x.bin': noise,
      'y.bin': Buffer.concat([noise, noise]),
    }).catch((reason: unknown) => reason)

    assert.ok(isGitError(error, 'no_space'))
    const parts = Array.from({ length: 40 }, (_, i) => [
      `${i}.bin`,
      Buffer.concat([noise.subarray(i * 37_000), noise.subarray(0, i * 37_000)]).subarray(
        0,
        60_000,
      ),
    ])
    const pack = await commitFiles(repo, Object.fromEntries(parts)).catch(
      (reason: unknown) => reason,
    )

    assert.ok(isGitError(pack, 'no_space'))
    assert.is(await readRef(repo, main), head)
    const left = readdirSync(join(repo.dir, 'objects'), { recursive: true, encoding: 'utf8' })

    assert.not(left.some(name => name.includes('tmp_')))
    fsck(repo)
    assert.ok(await readCommit(repo, await commitFiles(repo, { 'b.md': 'b' })))
  } finally {
    bench.processes.close()
    spawnSync('umount', [small])
  }
})

test.run()
