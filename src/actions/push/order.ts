import type { Origin } from '../../access/asker.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'

/** What a token must be allowed to write. */
export type PushScope = 'content' | 'change-requests'

export type PushOrder = {
  space: SpaceRow
  by: UserRow
  /** Where the request came from; null: not over HTTP. */
  origin: Origin | null
  commands: readonly PushCommand[]
  /** The values of `git push -o`. */
  options: readonly string[]
  /** All commands are carried out, or none. */
  atomic: boolean
  /**
   * Throws a Fault unless the token of the request can still be used for this. Called again in
   * deciding transactions.
   */
  checkToken: (needed: PushScope) => void
  signal?: AbortSignal | undefined
}

/** What a command asks for. */
export type Meaning =
  | { kind: 'primary' }
  /** Gives an untouched space its history. */
  | { kind: 'begin' }
  | { kind: 'update'; row: ChangeRequestRow }
  /** Opens a change request, or goes on with the own one that the commit goes on with. */
  | { kind: 'propose' }
  | { kind: 'open'; branch: string }

/** A command that may be carried out, with the commits that decided it. */
export type Act = { command: PushCommand; to: Oid } & (
  | { kind: 'nothing' }
  | { kind: 'primary' | 'begin'; ref: string; from: Oid }
  | { kind: 'update'; row: ChangeRequestRow; from: Oid }
  | { kind: 'open'; branch: string | null; base: Oid }
)

/** A decided command that moves the primary content. */
export type MovePrimary = Extract<Act, { kind: 'primary' | 'begin' }>

/** The new commits of a push, and a repository that has them. */
export type Arrived = { repo: Repository; parents: ReadonlyMap<Oid, readonly Oid[]> }

/** Why a command is refused: a clause without a full stop for the report, and lines of advice. */
export class Refused extends Error {
  readonly advice: readonly string[]

  constructor(reason: string, ...advice: string[]) {
    super(reason)
    this.name = 'Refused'
    this.advice = advice
  }
}

/** Returns whether an error refuses a command, as opposed to one of the program. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Refused || error instanceof Fault

/** Returns why a command of an atomic push is refused that nothing else speaks against. */
export const atomicRefusal = (): Refused =>
  new Refused('another branch of an atomic push was refused')
