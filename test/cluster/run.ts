import { readOptions } from '../support/read-options.ts'
import { failures, type Kind } from './failures.ts'
import { checkGate } from './gate.ts'
import { checkRaces } from './races.ts'
import { report } from './report.ts'
import { checkAll, playRound } from './rounds.ts'
import { openWorld } from './world.ts'

const kinds = Object.keys(failures) as Kind[]

/** Every second round kills a node. The others take turns, those with a few cases more often. */
const others: readonly Kind[] = [
  'failover',
  'silence',
  'cut',
  'standby-silence',
  'standby-cut',
  'failover',
  'standbys-lost',
  'clock',
  'freeze',
  'restart',
  'standby-lost',
  'upgrade',
]

/**
 * Lets nodes, standbys, the primary and the connections between them fail while clients write, and
 * checks at every node that each acknowledged write is there once. With --control a protection is off,
 * and something must be missing.
 */
const usage = `npm run test:cluster -- [--rounds 24] [--writes N] [--seed N] [--writers 12] [--only KINDS] [--control asynchronous|swap]

  --rounds   the number of rounds; every second one kills a node
  --writes   more rounds follow until so many writes are acknowledged
  --seed     repeats the plan of a run
  --writers  the number of clients that write at once: what they wait for is also each other
  --only     kinds of failures, with commas: ${kinds.join(', ')}
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
  rounds: { type: 'string', default: '24' },
  writes: { type: 'string', default: '0' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  writers: { type: 'string', default: '12' },
  only: { type: 'string' },
  control: { type: 'string' },
})
const only = args.only?.split(',') as Kind[] | undefined
if (only?.some(kind => !kinds.includes(kind))) {
  console.error(`--only takes some of ${kinds.join(', ')}.`)
  process.exit(2)
}

const begun = performance.now()
const world = await openWorld(Number(args.seed), {
  isSynchronous: args.control !== 'asynchronous',
  writers: Number(args.writers),
  env: args.control === 'swap' ? { STEMMA_TEST_NO_SWAP: '1' } : {},
})
const kindOf = (round: number): Kind | 'late' => {
  if (args.control === 'asynchronous') return 'late'
  if (only) return only[round % only.length]!
  return round % 2 === 0 ? 'kill' : others[((round - 1) / 2) % others.length]!
}
console.log(`seed ${args.seed}`)

const turns = new Map<string, number>()
const losses: string[] = []
const failed: string[] = []
const acknowledged = () => world.written.filter(({ outcome }) => outcome === 'acknowledged').length
const seconds = () => (performance.now() - begun) / 1_000
let played = 0
const goesOn = () =>
  !(args.control && losses.length > 0) &&
  (played < Number(args.rounds) || acknowledged() < Number(args.writes))
try {
  while (goesOn()) {
    const kind = kindOf(played++)
    const turn = turns.get(kind) ?? 0
    turns.set(kind, turn + 1)
    const found = await playRound(world, kind, turn).catch((error: Error) => {
      throw new Error(`${kind}: ${error.message}`)
    })
    for (const loss of found) console.log(`LOST ${loss}`)
    losses.push(...found)
    console.log(
      `${played} ${kind}: ${Math.round(seconds())} s, ${acknowledged()} writes, ${losses.length} losses`,
    )
  }
  const lasted = seconds()
  losses.push(...(await checkAll(world)))
  report(world, lasted)
} catch (error) {
  failed.push((error as Error).message)
}
for (const { name, server } of world.nodes)
  for (const line of server.log().filter(each => each.includes('"level":60')))
    failed.push(`${name} has given up: ${line}`)
console.log([...turns].map(([kind, times]) => `${kind} ${times} times`).join(', '))

if (acknowledged() === 0) failed.push('no write was acknowledged: there was nothing to check')
if (args.control && losses.length === 0)
  failed.push('nothing was missing without the protection: the check detects nothing')
if (!args.control) failed.push(...losses.slice(0, 20))
for (const failure of failed) console.log(`FAIL ${failure}`)
await world.close()
console.log(`${failed.length === 0 ? played : 0} passed, ${failed.length} failed`)
process.exit(failed.length > 0 ? 1 : 0)
