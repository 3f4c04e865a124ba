import type { UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { signedIn } from './space.ts'

/** Admits every caller with a valid token. */
export const self: Access<object, { user: UserRow }> = ({ actor }) => ({ user: signedIn(actor) })

/** Admits every caller, with or without a token. */
export const anyone: Access<object, object> = () => ({})
