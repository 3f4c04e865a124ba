import { readOptions } from '../support/read-options.ts'
import { type Lane, openLane } from './clients/lane.ts'
import { points } from './plan.ts'
import { report, sumLedgers, sumTallies } from './tally.ts'

/**
 * Kills a server repeatedly while clients write to it, developers push and exports run, and checks
 * that everything it promised is there after the next start. With --control the journal is off, and
 * something must be missing.
 */
const usage = `npm run test:crash -- [--rounds 200] [--seed N] [--jobs 2] [--at POINT] [--control]

With TEST_DATABASE=postgres the server has its rows and repositories in a database, and loses its folder now and then.

  --rounds   the number of kills
  --seed     repeats the plan of a run: the writes and the kills
  --jobs     concurrent servers, each with its own folder
  --at       always kill the server at this point of a write or of the recovery: ${points.join(', ')}
  --control  without the journal: something must be missing, or the command fails; plays up to five times as many rounds
             until a loss is found, and kills the server at W4n if --at names no other point`

const args = readOptions(usage, {
  rounds: { type: 'string', default: '200' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  jobs: { type: 'string', default: '2' },
  at: { type: 'string' },
  control: { type: 'boolean', default: false },
})
const isShared = process.env.TEST_DATABASE === 'postgres'
if (args.control && isShared) {
  console.error('Without a data folder that holds the truth there is no journal to turn off.')
  process.exit(2)
}
if (args.at && !points.includes(args.at)) {
  console.error(`--at takes one of ${points.join(', ')}.`)
  process.exit(2)
}
// Some refs of a transaction have moved: a server without a journal loses one of its promises.
const at = args.at ?? (args.control ? 'W4n' : undefined)
// On a slow machine little is written in a round, and many kills in a row may interrupt nothing.
const rounds = Number(args.rounds) * (args.control ? 5 : 1)
const [jobs, seed] = [Number(args.jobs), Number(args.seed)]
const begun = performance.now()
let played = 0
function onRound() {
  if (++played % 50 !== 0) return
  const { acknowledged, violations } = sumLedgers(lanes.map(({ ledger }) => ledger))
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(
    `${played} rounds, ${seconds} s, ${acknowledged} acknowledged writes, ${violations.length} violations`,
  )
}
// The first signal ends a long run with its report; the second one ends it at once.
let ended = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (ended) process.exit(130)
    ended = true
  })
const anyViolation = () => lanes.some(({ ledger }) => ledger.violations.length > 0)
const lanes: Lane[] = await Promise.all(
  Array.from({ length: jobs }, (_, lane) =>
    openLane({
      rounds: Math.floor(rounds / jobs) + (lane < rounds % jobs ? 1 : 0),
      seed: seed + lane,
      at,
      control: args.control,
      isOver: () => ended || (args.control && anyViolation()),
      onRound,
    }),
  ),
)
console.log(
  `seed ${seed}, ${rounds} rounds${args.control ? ' without journal' : ''}, ${lanes.map(({ dataDir }) => dataDir).join(', ')}`,
)
await Promise.all(lanes.map(lane => lane.play()))

const ledger = sumLedgers(lanes.map(lane => lane.ledger))
const tally = sumTallies(lanes.map(lane => lane.tally))
report(tally, ledger, performance.now() - begun)
const failures: string[] = []
if (ledger.acknowledged === 0)
  failures.push('no write was acknowledged: there was nothing to check')
if (args.control && !anyViolation())
  failures.push('without a journal nothing was missing: the check detects nothing')
if (!args.control && anyViolation()) failures.push('a promise was broken')
if (!args.control && !args.at && isShared && rounds >= 100 && tally.withJournal * 10 < tally.rounds)
  failures.push('fewer than one kill in ten left an intent: the times of the kills are wrong')
if (!args.control && tally.unexplained > 0) failures.push('an intent was abandoned without a push')
for (const failure of failures) console.log(`FAIL ${failure}`)
for (const lane of lanes) await lane.close({ keep: failures.length > 0 })
const checks = 5
console.log(`${checks - failures.length} passed, ${failures.length} failed`)
process.exit(failures.length > 0 ? 1 : 0)
