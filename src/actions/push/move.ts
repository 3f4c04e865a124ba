import type { PrimaryRight } from '../../access/guards/primary.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Arrival } from '../clearance/arrival.ts'
import type { Noted } from '../heads/record-pushed-ids.ts'
import type { Effect } from '../journal/effects.ts'
import type { Push } from './push.ts'

/** What a command does, with the commits that decided it. */
export type Move = { command: PushCommand; to: Oid } & (
  | { kind: 'nothing' }
  | { kind: 'primary' | 'begin'; ref: string; from: Oid }
  | { kind: 'update'; row: ChangeRequestRow; from: Oid }
  | { kind: 'open'; branch: string | null; base: Oid }
)

/** A move of the primary content. */
export type MovePrimary = Extract<Move, { kind: 'primary' | 'begin' }>

/**
 * A move with everything that Git had to be asked for, to be made with others in one operation.
 */
export type PreparedMove = {
  arrival: Arrival
  /** The identities of pages to note. */
  notes: readonly Noted[]
  moves: readonly RefMove[]
  /** Runs in the deciding transaction, with the push as it is there. */
  plan: (now: Push) => {
    moves: readonly RefMove[]
    effects: readonly Effect[]
    outcome: Done
    /** Of a move of the primary content. */
    right?: PrimaryRight
  }
}

/**
 * What was done for a command: lines that tell the user, and remarks, which follow the lines of all
 * commands.
 */
export type Done = {
  lines: readonly string[]
  advice?: readonly string[]
  /** The ref that moved, where it is another one than the command named. */
  moved?: { ref: string; from: Oid | null; to: Oid }
}

/** The outcome of a command: what was done, or why it was refused. */
export type Outcome = Done | { refused: unknown }
