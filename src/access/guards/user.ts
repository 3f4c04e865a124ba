import { missing } from '../../errors.ts'
import { findShownUsers, listSharedOrganizations } from '../../store/people/users.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { reachesOrganization } from '../reach.ts'
import { signedIn } from './space.ts'

/**
 * Admits the user of the path, and users who share an organization with them; `shown` is the user
 * of the path.
 */
export const sharingOrganization: Access<{ userId: string }, { user: UserRow; shown: UserRow }> = ({
  ctx,
  actor,
  params,
}) => {
  const user = signedIn(actor)
  if (params.userId === user.id) return { user, shown: user }
  const shown = findShownUsers(ctx.store, user.id, [params.userId]).get(params.userId)
  const shared = shown ? listSharedOrganizations(ctx.store, user.id, shown.id) : []
  if (!shown || !shared.some(id => reachesOrganization(ctx, user.id, id)))
    throw missing('user', params.userId)
  return { user, shown }
}
