import { admitToken } from '../../access/admit-token.ts'
import type { SignedInUser } from '../../access/session.ts'
import { listVisible } from '../../access/visible.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import { findSpaces, listSpaces } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { OrganizationRow, SpaceRow } from '../../store/tables/rows.ts'

/** More organizations than any user belongs to. */
const mostOrganizations = 100

/** An organization of a user, and the role that they have in it; null for a guest. */
type OwnOrganization = OrganizationRow & { member_role: Role | null }

/** Returns the organizations of a user that the token of the session reaches. */
export const organizationsOf = (
  ctx: Context,
  actor: SignedInUser['actor'],
): { organization: OwnOrganization; admitted: Context }[] =>
  listOrganizations(ctx.store, actor.user.id, mostOrganizations).flatMap(organization => {
    const admitted = admittedTo(ctx, actor, organization.id)
    return admitted ? [{ organization, admitted }] : []
  })

/** Returns the context of the session's token in an organization; undefined if it admits nothing. */
function admittedTo(
  ctx: Context,
  actor: SignedInUser['actor'],
  organizationId: string,
): Context | undefined {
  const operation = { operationId: '', scope: 'content:read', readers: false } as const
  try {
    return admitToken(ctx, actor, operation, { organizationId })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

type SeenSpace = { space: SpaceRow; role: Role }

/** Returns the first spaces of an organization that a user may read. */
export function firstSpaces(
  ctx: Context,
  { organizationId, userId, limit }: { organizationId: string; userId: string; limit: number },
): SeenSpace[] {
  const found = listVisible(
    ctx,
    { organizationId, userId, kind: 'space' },
    limit,
    undefined,
    (most, after, among) => listSpaces(ctx.store, { organizationId }, most, after, among),
  )
  const rows = findSpaces(
    ctx.store,
    found.map(({ row }) => row.id),
  )
  return found.flatMap(({ row, role }) => {
    const space = rows.get(row.id)
    return space ? [{ space, role }] : []
  })
}
