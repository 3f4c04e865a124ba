import type { TokenRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Actor } from '../asker.ts'
import { signedIn } from './space.ts'

/** Admits every caller with a valid token. */
export const self: Access<object, { user: UserRow }> = ({ actor }) => ({ user: signedIn(actor) })

/** Admits every caller, with or without a token. */
export const anyone: Access<object, object> = () => ({})

/**
 * Returns the token of a request. Throws 'unauthenticated' for an anonymous caller, 'forbidden' for
 * a reader.
 */
export function tokenOf(actor: Actor): TokenRow {
  signedIn(actor)
  return (actor as Extract<Actor, { type: 'user' }>).token
}
