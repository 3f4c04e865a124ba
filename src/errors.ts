import { type FaultKind, kindOf, type Reason } from './reasons.ts'

/** Details of a refused request for metrics and headers. */
export type Refusal = {
  /** The label of the metric, which may say more than the caller is told. */
  label: string
  /** Seconds after which a retry makes sense. */
  retryAfter?: number
}

/** An error that the caller can act on: a message that says what to do, and optional data. */
export class Fault extends Error {
  readonly reason: Reason
  readonly detail: Record<string, unknown> | undefined
  readonly refusal: Refusal | undefined

  constructor(
    reason: Reason,
    message: string,
    detail?: Record<string, unknown>,
    refusal?: Refusal,
  ) {
    super(message)
    this.name = 'Fault'
    this.reason = reason
    this.detail = detail
    this.refusal = refusal
  }

  get kind(): FaultKind {
    return kindOf(this.reason)
  }
}

/** Returns the fault for a resource that does not exist or that the caller may not see. */
export const missing = (what: string, id: string): Fault =>
  new Fault('not_found', `There is no ${what} "${id.slice(0, 100)}", or you may not see it.`)

/** Returns the fault for invalid input. */
export const invalid = (message: string, detail?: Record<string, unknown>): Fault =>
  new Fault('invalid_input', message, detail)

/**
 * Returns whether an error is a GitError of a damaged repository. Looks at its property alone, for rooms
 * that do not import git/.
 */
export const isDamage = (error: unknown): boolean =>
  (error as { isDamage?: unknown } | undefined)?.isDamage === true

/** Returns the message for damaged content, with the command that repairs its space. */
export const damagedMessage = (spaceId = 'ID'): string =>
  `Part of this content is damaged and cannot be read. The operator of the server can find the damage with "stemma verify" and repair it with "stemma repair --space ${spaceId}".`

/** Returns why a job for a space failed, for an error that users can do nothing about. */
export const reasonOfJob = (error: unknown, spaceId: string): string =>
  isDamage(error)
    ? damagedMessage(spaceId)
    : 'Internal error. The server log has the details. Try again.'
