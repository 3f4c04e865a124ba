import type { Ledger } from './ledger.ts'

/** What was seen in a run. */
export type Tally = {
  rounds: number
  kills: Map<string, number>
  /** Rounds whose server left an intent in the journal. */
  withJournal: number
  forward: number
  redo: number
  refused: number
  locks: number
  /** Rounds in which everything was checked. */
  thorough: number
  startMs: number[]
}

export const newTally = (): Tally => ({
  rounds: 0,
  kills: new Map(),
  withJournal: 0,
  forward: 0,
  redo: 0,
  refused: 0,
  locks: 0,
  thorough: 0,
  startMs: [],
})

export function countKill(tally: Tally, kind: string): void {
  tally.kills.set(kind, (tally.kills.get(kind) ?? 0) + 1)
}

/** Prints what was seen, a line each. */
export function report(tally: Tally, ledger: Ledger, ms: number): void {
  const { rounds, withJournal } = tally
  const starts = tally.startMs.toSorted((a, b) => a - b)
  const kills = [...tally.kills].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, n]) => `${kind} ${n}`)
  const each = rounds > 0 ? Math.round(ms / rounds) : 0
  const lines: [string, string | number][] = [
    ['rounds', `${rounds}, ${each} ms each, everything checked in ${tally.thorough}`],
    ['kills', kills.join(', ')],
    ['left an intent in the journal', `${withJournal} rounds`],
    ['rolled forward', tally.forward],
    ['rows done again', tally.redo],
    ['given up', tally.refused],
    ['stale locks', tally.locks],
    ['start, median', `${starts[Math.floor(starts.length / 2)] ?? 0} ms`],
    ['acknowledged writes', ledger.acknowledged],
    ['answers asked for again', ledger.repeated],
    ['violations', ledger.violations.length],
  ]
  for (const [name, value] of lines) console.log(`${`${name}:`.padEnd(32)}${value}`)
  for (const violation of ledger.violations.slice(0, 40)) console.log(`  ${violation}`)
}
