/** The ways a request can go wrong. `http/mount.ts` maps each to its status. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'unmet'
  | 'too_large'
  | 'unsupported_type'
  | 'too_many'
  | 'unavailable'
  | 'no_space'

/** Something the caller can act on: a sentence that says what to do, and data beside it. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly detail: Record<string, unknown> | undefined

  constructor(kind: FaultKind, message: string, detail?: Record<string, unknown>) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.detail = detail
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
