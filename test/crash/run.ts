import { parseArgs } from 'node:util'
import { newLedger } from './ledger.ts'
import { planRounds, points, startsOf } from './plan.ts'
import { openPool } from './pool.ts'
import { randomFrom } from './random.ts'
import { inspect, playRound, type Run } from './round.ts'
import { newTally, report } from './tally.ts'
import { openWorld } from './world.ts'

/**
 * Kills a server again and again while clients write to it, and looks whether everything that it promised is there
 * when the next one has started on the same folder. With --control the journal is off, and something must be missing.
 */
const { values: args } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    at: { type: 'string' },
    control: { type: 'boolean', default: false },
  },
})
if (args.at && !points.includes(args.at)) {
  console.error(`--at takes one of ${points.join(', ')}.`)
  process.exit(2)
}
const random = randomFrom(Number(args.seed))
const world = await openWorld(args.control ? { STEMMA_TEST_NO_JOURNAL: '1' } : {})
console.log(
  `seed ${args.seed}, ${args.rounds} rounds${args.control ? ' without journal' : ''}, ${world.dataDir}`,
)

const rounds = planRounds(Number(args.rounds), random, args.at)
const servers = openPool(world.program, world.env, rounds.flatMap(startsOf))
const run: Run = { world, ledger: newLedger(), random, tally: newTally(), nextServer: servers.next }
const { ledger, tally } = run
const begun = performance.now()
for (const [index, round] of rounds.entries()) {
  await playRound(run, round, index)
  if (ledger.violations.length > 0 && (args.control || ledger.violations.length > 100)) break
  if (index % 25 === 24) console.log(`${index + 1} rounds, ${ledger.acknowledged} acknowledged writes`)
}
if (ledger.violations.length === 0) {
  const last = run.nextServer({})
  const url = await last.listen()
  if (url) await inspect(run, url, Number(args.rounds) + 1, true)
  else ledger.violations.push('the last server did not start')
  await last.stop()
}
await servers.close()
report(tally, ledger, performance.now() - begun)

const failures: string[] = []
if (args.control && ledger.violations.length === 0)
  failures.push('without a journal nothing was missing: the check sees nothing')
if (!args.control && ledger.violations.length > 0) failures.push('something that was promised is not there')
if (!args.control && !args.at && tally.withJournal * 10 < tally.rounds)
  failures.push('fewer than one kill in ten left an intent: the times of the kills are wrong')
if (!args.control && tally.refused > 0) failures.push('an intent was given up, and nobody had pushed')
for (const failure of failures) console.log(`FAIL ${failure}`)
await world.close({ keep: failures.length > 0 })
const checks = 4
console.log(`${checks - failures.length} passed, ${failures.length} failed`)
process.exit(failures.length > 0 ? 1 : 0)
