import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { PackRefused } from '../../git/receiving/pack-refused.ts'
import { type GitErrorCode, isGitError } from '../../git/values/errors.ts'
import { isDatabaseError } from '../../store/engine/driver.ts'

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

const noSpace = 'the disk of the server is full'

/** Words for errors of Git that a pack may cause, or that end the work on it. */
const packReasons: Partial<Record<GitErrorCode, string>> = {
  no_space: noSpace,
  timeout: 'the check of the pack took too long',
  busy: 'too many pushes are under way: try again in a moment',
  too_many_files: 'too many files',
  too_deep: 'folders nested too deeply',
  too_large: 'a commit or a folder is too large',
  object_unreadable: 'the pack lacks objects that it refers to',
}

/** Returns whether an error says why a pack was not taken. */
export const isPackRefusal = (error: unknown): boolean =>
  error instanceof PackRefused || (isGitError(error) && packReasons[error.code] !== undefined)

/** Returns whether the database had no room to record a push. */
export const isStoreFull = (error: unknown): boolean => isDatabaseError(error, 'full')

/** Returns why a pack was not taken, as a clause. */
export const refusalOfPack = (error: unknown): string =>
  error instanceof PackRefused
    ? error.message
    : (isGitError(error) && packReasons[error.code]) || 'failed'

/**
 * Returns why a command was refused, as a clause without a full stop. What cannot be told is in the
 * log.
 */
export function reasonOf(ctx: Context, spaceId: string, error: unknown): string {
  if (error instanceof Refused) return error.message
  if (error instanceof Fault) return error.message.replace(/\.$/, '')
  if (isGitError(error) && packReasons[error.code] !== undefined) return refusalOfPack(error)
  if (isStoreFull(error)) return noSpace
  if (isDatabaseError(error, 'readonly')) return 'the server is read-only at the moment'
  ctx.log.error({ space: spaceId, err: String(error) }, 'a push could not be carried out')
  return 'the server could not carry it out: try again in a moment'
}
