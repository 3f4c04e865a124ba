import type { Context } from '../../context.ts'
import { Fault, forbidden, missing } from '../../errors.ts'
import { findSpecBySlug } from '../../store/openapi/specs.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { OpenapiSpecRow, OrganizationRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { signedIn } from './space.ts'

/** What may be done with an organization's OpenAPI descriptions: looked at, or made, changed and deleted. */
type Needed = 'view' | 'edit'

export type DescriptionsGrant = { organization: OrganizationRow; user: UserRow; mayEdit: boolean }

/**
 * What a user may do with the OpenAPI descriptions of an organization. Throws 'missing' for guests and those who do not
 * belong to it, 'forbidden' for members who may not do what is needed. A guard asks it, and a transaction again.
 */
export function checkDescriptions(
  ctx: Context,
  organizationId: string,
  user: UserRow,
  needed: Needed,
): DescriptionsGrant {
  const organization = findOrganization(ctx.store, organizationId)
  const member = organization && memberWithin(ctx, organizationId, user.id)
  if (!organization || !member) throw missing('organization', organizationId)
  if (member.role === null)
    throw new Fault('missing', 'There are no OpenAPI descriptions here, or you may not see them.')
  const mayEdit = atLeast(member.role, 'create')
  if (needed === 'edit' && !mayEdit)
    throw forbidden(`This needs the role "create" in the organization; yours is "${member.role}".`)
  return { organization, user, mayEdit }
}

/** Lets in the members of the organization of the path who are no guests; to edit, those with the role "create". */
export const descriptions =
  (needed: Needed): Access<{ organizationId: string }, DescriptionsGrant> =>
  ({ ctx, actor, params }) =>
    checkDescriptions(ctx, params.organizationId, signedIn(actor), needed)

/** The same for the description of the path, which is handed on. */
export const description =
  (needed: Needed): Access<SpecParams, DescriptionsGrant & { spec: OpenapiSpecRow }> =>
  async asker => {
    const granted = await descriptions(needed)(asker)
    return { ...granted, spec: requireSpec(asker.ctx, asker.params) }
  }

/**
 * Lets in those who may see the description of the path: everybody, with or without a token, while it is public. Nobody
 * without a token learns whether there is one that is not.
 */
export const publicDescription: Access<SpecParams, { spec: OpenapiSpecRow }> = ({ ctx, actor, params }) => {
  const spec = findSpecBySlug(ctx.store, params.organizationId, params.specSlug)
  if (spec?.visibility !== 'public') checkDescriptions(ctx, params.organizationId, signedIn(actor), 'view')
  return { spec: requireSpec(ctx, params) }
}

/** The description of a path. Throws 'missing'. */
export function requireSpec(ctx: Context, { organizationId, specSlug }: SpecParams): OpenapiSpecRow {
  const spec = findSpecBySlug(ctx.store, organizationId, specSlug)
  if (!spec) throw missing('OpenAPI description', specSlug)
  return spec
}

type SpecParams = { organizationId: string; specSlug: string }
