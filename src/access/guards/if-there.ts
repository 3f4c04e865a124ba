import { Fault } from '../../errors.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { Access, Asker } from '../asker.ts'
import { needing } from './needing.ts'
import { signedIn } from './space.ts'

/**
 * Returns a guard that admits whom `guard` admits, and all users for whom it throws 'missing': they
 * get nothing of what it grants.
 */
export function ifThere<Params, Granted>(
  guard: Access<Params, Granted>,
): Access<Params, { found: Granted | undefined; user: UserRow }> {
  const lenient = (asker: Asker<Params>) => {
    try {
      return { found: guard(asker), user: signedIn(asker.actor) }
    } catch (error) {
      if (!(error instanceof Fault && error.kind === 'missing')) throw error
      return { found: undefined, user: signedIn(asker.actor) }
    }
  }
  return guard.need ? needing(guard.need, lenient) : lenient
}
