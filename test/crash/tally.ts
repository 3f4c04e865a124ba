import { type Ledger, newLedger } from './ledger.ts'

/** The statistics of a run. */
export type Tally = {
  rounds: number
  kills: Map<string, number>
  /** Rounds whose server left an intent in the journal. */
  withJournal: number
  forward: number
  redo: number
  refused: number
  /** Those in rounds without a push. */
  unexplained: number
  locks: number
  /** Rounds with a full check. */
  thorough: number
  /** The number of searches for promised texts. */
  searches: number
  /** Events that a webhook reported, and how many of them repeatedly. */
  events: number
  repeatedEvents: number
  startMs: number[]
  /** The number of pushes by the end of each round. */
  pushes: number[]
}

export const newTally = (): Tally => ({
  rounds: 0,
  kills: new Map(),
  withJournal: 0,
  forward: 0,
  redo: 0,
  refused: 0,
  unexplained: 0,
  locks: 0,
  thorough: 0,
  searches: 0,
  events: 0,
  repeatedEvents: 0,
  startMs: [],
  pushes: [],
})

export function countKill(tally: Tally, kind: string): void {
  tally.kills.set(kind, (tally.kills.get(kind) ?? 0) + 1)
}

const listed = (counts: Map<string, number>): string =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, n]) => `${kind} ${n}`)
    .join(', ')

function addCounts(to: Map<string, number>, from: Map<string, number>): void {
  for (const [kind, n] of from) to.set(kind, (to.get(kind) ?? 0) + n)
}

/** The outcomes of exports. */
function countExports({ spaces }: Ledger): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { ended } of spaces.flatMap(({ exports }) => exports))
    if (ended) counts.set(ended, (counts.get(ended) ?? 0) + 1)
  return counts
}

/** The sum of several runs. */
export function sumTallies(tallies: readonly Tally[]): Tally {
  const sum = newTally()
  for (const each of tallies) {
    addCounts(sum.kills, each.kills)
    sum.startMs.push(...each.startMs)
    for (const name of counted) sum[name] += each[name]
  }
  return sum
}

const counted = [
  'rounds',
  'withJournal',
  'forward',
  'redo',
  'refused',
  'unexplained',
  'locks',
  'thorough',
  'searches',
  'events',
  'repeatedEvents',
] as const

/** The sum of what was promised in several runs, as far as it is reported. */
export function sumLedgers(ledgers: readonly Ledger[]): Ledger {
  const sum = newLedger()
  for (const each of ledgers) {
    addCounts(sum.byKind, each.byKind)
    sum.acknowledged += each.acknowledged
    sum.repeated += each.repeated
    sum.violations.push(...each.violations)
    sum.spaces.push(...each.spaces)
  }

  return sum
}

/** Whether a violation names a push. */
const isOfPush = (violation: string): boolean => /\bpush(?:ed)?\b/.test(violation)

/** Prints the statistics, one per line. */
export function report(tally: Tally, ledger: Ledger, ms: number): void {
  const { rounds, withJournal } = tally
  const starts = tally.startMs.toSorted((a, b) => a - b)
  const each = rounds > 0 ? Math.round(ms / rounds) : 0
  const lines: [string, string | number][] = [
    ['rounds', `${rounds}, ${each} ms each, everything checked in ${tally.thorough}`],
    ['kills', listed(tally.kills)],
    ['left an intent in the journal', `${withJournal} rounds`],
    ['rolled forward', tally.forward],
    ['rows done again', tally.redo],
    ['abandoned', `${tally.refused}, ${tally.unexplained} of them without a push`],
    ['stale locks', tally.locks],
    ['start, median', `${starts[Math.floor(starts.length / 2)] ?? 0} ms`],
    ['acknowledged writes', `${ledger.acknowledged}: ${listed(ledger.byKind)}`],
    ['repeated responses', ledger.repeated],
    ['searches', tally.searches],
    ['exports', listed(countExports(ledger))],
    ['webhook events', `${tally.events}, ${tally.repeatedEvents} of them more than once`],
    [
      'violations',
      `${ledger.violations.length}, ${ledger.violations.filter(isOfPush).length} of pushes`,
    ],
  ]

  for (const [name, value] of lines) console.log(`${`${name}:`.padEnd(32)}${value}`)
  for (const violation of ledger.violations.slice(0, 40)) console.log(`  ${violation}`)
}
