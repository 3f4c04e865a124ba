import type { PrimaryRight } from '../../access/guards/primary.ts'
import type { PushReport, Verdict } from '../../git/protocol/report.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Arrival } from '../clearance/arrival.ts'
import type { Noted } from '../heads/record-pushed-ids.ts'
import type { Effect } from '../journal/effects.ts'

/**
 * The outcome of a command: its verdict, lines that tell the user what was done, and remarks, which
 * follow the lines of all commands.
 */
export type Done = {
  verdict: Verdict
  lines: NonNullable<PushReport['messages']>
  advice?: readonly string[]
}

/**
 * A command with everything that Git had to be asked for, to be carried out with others in one
 * operation.
 */
export type Prepared = {
  arrival: Arrival
  /** The identities of pages to note. */
  notes: readonly Noted[]
  moves: readonly RefMove[]
  /** Runs in the deciding transaction. */
  plan: () => {
    moves: readonly RefMove[]
    effects: readonly Effect[]
    done: Done
    /** Of a move of the primary content. */
    right?: PrimaryRight
  }
}
