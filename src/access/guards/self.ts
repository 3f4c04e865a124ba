import type { UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { signedIn } from './space.ts'

/** Lets in everybody with a token that works. */
export const self: Access<object, { user: UserRow }> = ({ actor }) => ({ user: signedIn(actor) })

/** Lets in everybody, with or without a token. */
export const anyone: Access<object, object> = () => ({})
