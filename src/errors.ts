/** The ways a request can go wrong. `http/mount.ts` maps each to its status. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'too_slow'
  | 'conflict'
  | 'unmet'
  | 'too_large'
  | 'unsupported_type'
  | 'too_many'
  | 'unavailable'
  | 'no_space'

/** What metrics and headers say of a request that was refused. */
export type Refusal = {
  /** The `reason` label of the metric. */
  reason: string
  /** Seconds after which it is worth trying again. */
  retryAfter?: number
}

/** Something the caller can act on: a sentence that says what to do, and data beside it. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly detail: Record<string, unknown> | undefined
  readonly refusal: Refusal | undefined

  constructor(kind: FaultKind, message: string, detail?: Record<string, unknown>, refusal?: Refusal) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.detail = detail
    this.refusal = refusal
  }
}

/** The fault for a thing that is not there, or that the caller may not know of. */
export const missing = (what: string, id: string): Fault =>
  new Fault('missing', `There is no ${what} "${id.slice(0, 100)}", or you may not see it.`)

/** The fault for what the caller may see but not do. */
export const forbidden = (message: string): Fault => new Fault('forbidden', message)

/** The fault for input that cannot be taken as it is. */
export const invalid = (message: string, detail?: Record<string, unknown>): Fault =>
  new Fault('invalid', message, detail)
