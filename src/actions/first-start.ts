import type { Context } from '../context.ts'
import { insertOrganization, listAllOrganizations, putMember } from '../store/organizations.ts'
import { insertUser } from '../store/users.ts'
import { createToken } from './create-token.ts'

/**
 * On an empty data folder: makes the organization `default`, the user `admin` (admin of it) and a token, and gives the
 * token's secret, this once. Undefined when there is an organization already.
 */
export function firstStart(ctx: Context): string | undefined {
  return ctx.store.transact(() => {
    if (listAllOrganizations(ctx.store).length > 0) return undefined
    const at = ctx.now()
    const time = at.toISOString()
    insertOrganization(ctx.store, { id: 'default', title: 'Default', created_at: time })
    insertUser(ctx.store, { id: 'admin', display_name: 'Admin', email: null, created_at: time })
    putMember(ctx.store, 'default', 'admin', 'admin', time)
    return createToken(ctx.store, { userId: 'admin', name: 'first start', secret: ctx.config.adminToken }, at)
      .secret
  })
}
