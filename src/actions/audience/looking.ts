import type { RequestFacts } from '../../access/asker.ts'
import type { SiteGrant } from '../../access/guards/site.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import type { Role } from '../../store/tables/roles.ts'
import { viewForUser } from '../sites/view-for-user.ts'
import type { Looking } from './destination.ts'

/** Returns how a user sees a site and reads the content of its spaces. */
export const lookingAsUser = (
  ctx: Context,
  { site, user, role }: Pick<SiteGrant, 'site' | 'user' | 'role'>,
  request: Pick<RequestFacts, 'signal'>,
): Looking => ({
  view: viewForUser(ctx, site, user, role),
  grant: space => ({
    space,
    user,
    role: roleOnSpace(ctx, space, user.id) as Role,
    scope: { kind: 'space' },
  }),
  request,
})
