import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { findSpecBySlug } from '../../store/openapi/specs.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { OpenapiSpecRow, OrganizationRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Reader } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { signedIn } from './space.ts'

/**
 * The kinds of access to an organization's OpenAPI specs: reading; or creating, changing and
 * deleting.
 */
type Needed = 'view' | 'edit'

const roleFor = {
  view: { role: 'read', on: 'organization' },
  edit: { role: 'create', on: 'organization' },
} as const

type SpecsGrant = { organization: OrganizationRow; user: UserRow; mayEdit: boolean }

/**
 * Returns what a user may do with the OpenAPI specs of an organization. Throws 'missing' for guests
 * and users outside the organization, 'forbidden' for members without the needed access.
 */
export function checkSpecs(
  ctx: Context,
  organizationId: string,
  user: UserRow,
  needed: Needed,
): SpecsGrant {
  const organization = findOrganization(ctx.store, organizationId)
  const member = organization && memberWithin(ctx, organizationId, user.id)
  if (!organization || !member) throw missing('organization', organizationId)

  if (member.role === null)
    throw new Fault(
      'not_found',
      'There are no OpenAPI specs here, or you do not have access to them.',
    )

  const mayEdit = atLeast(member.role, 'create')
  if (needed === 'edit' && !mayEdit)
    throw new Fault(
      'role_required',
      `This needs the role "create" in the organization; yours is "${member.role}".`,
    )

  return { organization, user, mayEdit }
}

/**
 * Allows members of the organization in the path, not guests; to edit, members with the role
 * "create".
 */
export const organizationSpecs = (needed: Needed): Access<{ organizationId: string }, SpecsGrant> =>
  needing(roleFor[needed], ({ ctx, actor, params }) =>
    checkSpecs(ctx, params.organizationId, signedIn(actor), needed),
  )

/** Allows the users that `organizationSpecs` allows, and passes on the spec in the path. */
export const namedSpec = (
  needed: Needed,
): Access<SpecParams, SpecsGrant & { spec: OpenapiSpecRow }> =>
  needing(roleFor[needed], asker => {
    const granted = organizationSpecs(needed)(asker)
    return { ...granted, spec: requireSpec(asker.ctx, asker.params) }
  })

/** The spec of the path for a user; for a reader the handler still has to find it on a page. */
export type ReadSpec =
  | { spec: OpenapiSpecRow; reader?: undefined }
  | { spec?: undefined; reader: Reader }

/**
 * Allows the users that `namedSpec` allows, and readers of the organization's sites. Guards never
 * read Git: finding the spec for a reader checks that a page names it.
 */
export const readSpec: Access<SpecParams, ReadSpec> = needing(roleFor.view, asker => {
  const { actor, params } = asker
  if (actor.type !== 'reader') return { spec: namedSpec('view')(asker).spec }
  if (actor.site.organization_id !== params.organizationId)
    throw missing('OpenAPI spec', params.specSlug)
  return { reader: actor }
})

/**
 * Allows users with access to the spec in the path; while it is public, any request, even without a
 * token. Does not reveal to requests without a token whether a private spec exists.
 */
export const publicSpec: Access<SpecParams, { spec: OpenapiSpecRow }> = ({
  ctx,
  actor,
  params,
}) => {
  const spec = findSpecBySlug(ctx.store, params.organizationId, params.specSlug)
  if (spec?.visibility !== 'public') checkSpecs(ctx, params.organizationId, signedIn(actor), 'view')
  return { spec: requireSpec(ctx, params) }
}

/** Returns the spec in a path. Throws 'missing'. */
export function requireSpec(
  ctx: Context,
  { organizationId, specSlug }: SpecParams,
): OpenapiSpecRow {
  const spec = findSpecBySlug(ctx.store, organizationId, specSlug)
  if (!spec) throw missing('OpenAPI spec', specSlug)
  return spec
}

type SpecParams = { organizationId: string; specSlug: string }
