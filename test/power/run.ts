import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { newLedger } from '../crash/ledger.ts'
import { openPool } from '../crash/pool.ts'
import { randomFrom } from '../crash/random.ts'
import { inspect, listen } from '../crash/round.ts'
import { prepareServer } from '../crash/server.ts'
import { newTally, report } from '../crash/tally.ts'
import { openWorld } from '../crash/world.ts'
import { readOptions } from '../support/read-options.ts'
import { throughDefaultGit, whyNot } from './default-git.ts'
import { openDisk, unmountNow } from './disk.ts'
import { checkNames } from './names.ts'
import { type PowerRun, playRound } from './round.ts'

/**
 * Cuts the power repeatedly while clients write to a server, and checks that everything it promised
 * is on the disk. With --control, Git syncs only what it does by default, and something must be
 * missing.
 */
const usage = `npm run test:power -- [--rounds 50] [--seed N] [--control] [--keep] [--names]

  --rounds   how often the power is cut; 10 with --control
  --seed     repeats the random choices of a run
  --control  Git syncs only what it does by default: something must be missing, or the command fails
  --keep     keeps the disk for inspection
  --names    checks with strace that each new name was synced before the response; cuts nothing`

const args = readOptions(usage, {
  rounds: { type: 'string' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  control: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  names: { type: 'boolean', default: false },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
if (args.names) {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) {
    console.log('skipped: strace is not installed, or may not trace')
    process.exit(0)
  }
  const found = await checkNames()
  for (const each of found) console.log(`FAIL ${each}`)
  if (found.length === 0) console.log('every name was synced before its response')
  process.exit(found.length > 0 ? 1 : 0)
}
const rounds = Number(args.rounds ?? (args.control ? 10 : 50))
const random = randomFrom(Number(args.seed))
const world = await openWorld()
let keep = args.keep
process.once('exit', () => {
  unmountNow(world.dataDir)
  if (!keep) rmSync(world.folder, { recursive: true, force: true })
})

function skip(why: string): never {
  console.log(`skipped: ${why}`)
  process.exit(0)
}
if (process.getuid?.() !== 0) skip('only root may mount a disk')
const disk = await openDisk(world.folder, world.dataDir).catch(error =>
  skip(`no disk can be mounted: ${error.message}`),
)
const through = args.control ? throughDefaultGit(world.folder) : []
const obstacle = args.control ? await whyNot(through) : undefined
if (obstacle) skip(`git cannot be replaced: ${obstacle}`)
console.log(
  `seed ${args.seed}, ${rounds} rounds${args.control ? ' with the defaults of Git' : ''}, ${world.dataDir}`,
)

const servers = args.control ? undefined : openPool(world.program, world.env, [])
const run: PowerRun = {
  world,
  ledger: newLedger(),
  random,
  tally: newTally(),
  // A mount namespace keeps the mounts of its creation, so servers are not started in advance.
  nextServer: env =>
    servers?.next(env) ??
    prepareServer({ env: { ...world.env, ...env }, cold: true, program: world.program, through }),
  disk,
  remembered: 0,
}
const { ledger, tally } = run
const begun = performance.now()
for (let index = 0; index < rounds; index++) {
  await playRound(run, index)
  if (ledger.violations.length > 0) break
  if (index % 10 === 9)
    console.log(`${index + 1} rounds, ${ledger.acknowledged} acknowledged writes`)
}
if (ledger.violations.length === 0) {
  const last = run.nextServer({})
  const url = await listen(run, last)
  if (url) await inspect(run, url, rounds + 1, true)
  await last.stop()
}
await servers?.close()
ledger.violations = ledger.violations.map(text => text.replace(/\s+/g, ' ').slice(0, 300))
report(tally, ledger, performance.now() - begun)
console.log(`${'copies made again:'.padEnd(32)}${disk.again()}`)

const failures: string[] = []
if (ledger.acknowledged === 0)
  failures.push('no write was acknowledged: there was nothing to check')
if (args.control && ledger.violations.length === 0)
  failures.push('with the defaults of Git nothing was missing: the check detects nothing')
if (!args.control && ledger.violations.length > 0) failures.push('a promise was broken')
if (!args.control && tally.refused > 0) failures.push('an intent was abandoned without a push')
if (run.remembered > 0)
  failures.push(`${run.remembered} cuts kept unsynced data: they did not cut the power`)
for (const failure of failures) console.log(`FAIL ${failure}`)
keep ||= failures.length > 0
await world.close({ keep: true })
const checks = args.control ? 3 : 4
console.log(`${checks - failures.length} passed, ${failures.length} failed`)
process.exit(failures.length > 0 ? 1 : 0)
