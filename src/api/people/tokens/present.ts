import type { z } from 'zod'
import { objectionOf, reachOf } from '../../../access/reach.ts'
import type { Scope } from '../../../access/scopes.ts'
import type { Context } from '../../../context.ts'
import type { ReachingToken } from '../../../store/people/organization-tokens.ts'
import type { TokenRow } from '../../../store/tables/rows.ts'
import type { OrganizationToken, Token } from './schema.ts'

/** Returns a token as the API shows it, without its secret. `base` is the prefix of `urls.*`. */
export const presentToken = (row: TokenRow, base: string): z.input<typeof Token> => ({
  object: 'token',
  id: row.id,
  name: row.name,
  ...(row.parent_id !== null && { parent: row.parent_id }),
  ...limitsOf(row),
  urls: { location: `${base}/v1/user/tokens/${row.id}` },
})

/** Returns a token as the admins of an organization that it reaches see it. */
export const presentReachingToken = (
  ctx: Context,
  organizationId: string,
  row: ReachingToken,
): z.input<typeof OrganizationToken> => ({
  object: 'organization-token',
  id: row.id,
  name: row.name,
  user: { id: row.user_id, displayName: row.display_name },
  accepted: objectionOf(ctx, reachOf(row), organizationId) === undefined,
  ...limitsOf(row),
  urls: { location: `${ctx.publicUrl()}/v1/orgs/${organizationId}/tokens/${row.id}` },
})

const limitsOf = (row: TokenRow) => ({
  scopes: row.scopes as Scope[],
  ...(row.organization_id !== null && { organization: row.organization_id }),
  ...(row.space_id !== null && { space: row.space_id }),
  createdAt: row.created_at,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
})
