import { readOptions } from '../support/read-options.ts'
import { checkGate } from './gate.ts'
import { checkRaces } from './races.ts'
import { failures, playRound } from './rounds.ts'
import { openWorld } from './world.ts'

const kinds = Object.keys(failures).filter(kind => kind !== 'late')

/**
 * Lets nodes and their database fail while clients write, and checks at every node that each
 * acknowledged write is there once. With --control a protection is off, and something must be
 * missing.
 */
const usage = `npm run test:cluster -- [--rounds 20] [--seed N] [--only KIND] [--control asynchronous|swap]

  --rounds   the number of rounds
  --seed     repeats the plan of a run
  --only     one kind of failure: ${kinds.join(', ')}; usually they take turns
  --control  asynchronous: standbys that may be behind when the primary is lost;
             swap: refs that move without compare-and-swap; a write must be missing, or the command fails

npm run test:cluster -- gate [--runs 100000]

  --runs     the number of writes of one node that are read at the other, where nothing fails

npm run test:cluster -- races [--runs 100] [--only WORDS] [--control]

  --runs     how often two requests are sent to two nodes at the same time, for each rule that both may break
  --only     the rules with these words in their names
  --control  READ COMMITTED: a rule must be broken, or the command fails`

if (process.argv[2] === 'races') {
  await checkRaces(usage, process.argv.slice(3))
  process.exit()
}

if (process.argv[2] === 'gate') {
  await checkGate(usage, process.argv.slice(3))
  process.exit()
}

const args = readOptions(usage, {
  rounds: { type: 'string', default: '20' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  only: { type: 'string' },
  control: { type: 'string' },
})
if (args.only && !kinds.includes(args.only)) {
  console.error(`--only takes one of ${kinds.join(', ')}.`)
  process.exit(2)
}

const begun = performance.now()
const world = await openWorld(Number(args.seed), {
  isSynchronous: args.control !== 'asynchronous',
  env: args.control === 'swap' ? { STEMMA_TEST_NO_SWAP: '1' } : {},
})
const kindOf = (round: number): string => {
  if (args.control === 'asynchronous') return 'late'
  return args.only ?? kinds[round % kinds.length]!
}
console.log(`seed ${args.seed}`)

const losses: string[] = []
const failed: string[] = []
let played = 0
while (played < Number(args.rounds) && !(args.control && losses.length > 0)) {
  const kind = kindOf(played++)
  try {
    losses.push(...(await playRound(world, kind)))
  } catch (error) {
    failed.push(`${kind}: ${(error as Error).message}`)
    break
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(
    `${played} ${kind}: ${seconds} s, ${world.written.length} writes, ${losses.length} losses`,
  )
}

const { written, writing, outages } = world
const acknowledged = written.filter(({ outcome }) => outcome === 'acknowledged').length
console.log(
  `${acknowledged} acknowledged writes, ${written.length - acknowledged} of unknown outcome, ${writing.repeated} repeated`,
)
for (const [kind, delays] of outages) {
  const sorted = delays.toSorted((a, b) => a - b).map(Math.round)
  console.log(
    `${kind}: a space was written to again after ${sorted[sorted.length >> 1]} ms in the middle, ${sorted.at(-1)} ms at most`,
  )
}
for (const line of [...new Set(writing.refused)].slice(0, 20)) console.log(`refused ${line}`)

if (acknowledged === 0) failed.push('no write was acknowledged: there was nothing to check')
if (args.control && losses.length === 0)
  failed.push('nothing was missing without the protection: the check detects nothing')
if (!args.control) failed.push(...losses.slice(0, 20))
for (const failure of failed) console.log(`FAIL ${failure}`)
await world.close()
console.log(`${failed.length === 0 ? played : 0} passed, ${failed.length} failed`)
process.exit(failed.length > 0 ? 1 : 0)
