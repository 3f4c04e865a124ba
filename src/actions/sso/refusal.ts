import { Fault } from '../../errors.ts'

/** Why a sign-in was refused, for the metric and the audit log. */
type SsoReason =
  | 'disabled'
  | 'not-a-member'
  | 'not-marked'
  | 'other-subject'
  | 'pending'
  | 'replayed'
  | 'request'

/**
 * Returns the fault for a sign-in that a rule refuses, with a sentence for the person who signs in.
 */
export const refusedSignIn = (reason: SsoReason, message: string): Fault =>
  new Fault(reason === 'request' ? 'sign_in_expired' : 'sign_in_refused', message, undefined, {
    label: reason,
  })
