/** The kinds of fault. `http/faults.ts` maps each to its status. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'wrong_method'
  | 'too_slow'
  | 'conflict'
  | 'unmet'
  | 'too_large'
  | 'unsupported_type'
  | 'too_many'
  | 'unavailable'
  | 'no_space'
  | 'not_installed'

/** Details of a refused request for metrics and headers. */
export type Refusal = {
  /** The `reason` label of the metric. */
  reason: string
  /** Seconds after which a retry makes sense. */
  retryAfter?: number
}

/** An error that the caller can act on: a message that says what to do, and optional data. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly detail: Record<string, unknown> | undefined
  readonly refusal: Refusal | undefined

  constructor(
    kind: FaultKind,
    message: string,
    detail?: Record<string, unknown>,
    refusal?: Refusal,
  ) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.detail = detail
    this.refusal = refusal
  }
}

/** Returns the fault for a resource that does not exist or that the caller may not see. */
export const missing = (what: string, id: string): Fault =>
  new Fault('missing', `There is no ${what} "${id.slice(0, 100)}", or you may not see it.`)

/** Returns the fault for an operation that the caller may not perform on a visible resource. */
export const forbidden = (message: string): Fault => new Fault('forbidden', message)

/** Returns the fault for invalid input. */
export const invalid = (message: string, detail?: Record<string, unknown>): Fault =>
  new Fault('invalid', message, detail)
