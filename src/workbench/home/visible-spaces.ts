import { admitToken } from '../../access/admit-token.ts'
import type { NeededScope } from '../../access/scopes.ts'
import type { SignedInUser } from '../../access/session.ts'
import { rolesIn } from '../../access/visible.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { listSpacesOfParticipant } from '../../store/discussions/participants.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import { findSpaces } from '../../store/spaces/spaces.ts'
import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { OrganizationRow, SpaceRow } from '../../store/tables/rows.ts'

/** More organizations than any user belongs to. */
const mostOrganizations = 100

/** An organization of a user, and the role that they have in it; null for a guest. */
type OwnOrganization = OrganizationRow & { member_role: Role | null }

/** An organization of a user with the context of the session's token in it. */
export type AdmittedTo = { organization: OwnOrganization; admitted: Context }

/** Returns the organizations of a user that the token of the session reaches with a scope. */
export const organizationsOf = (
  ctx: Context,
  actor: SignedInUser['actor'],
  scope: NeededScope = 'content:read',
): AdmittedTo[] =>
  listOrganizations(ctx.store, actor.user.id, mostOrganizations).flatMap(organization => {
    const admitted = admittedTo(ctx, actor, organization.id, scope)
    return admitted ? [{ organization, admitted }] : []
  })

/** Returns the context of the session's token in an organization; undefined if it admits nothing. */
function admittedTo(
  ctx: Context,
  actor: SignedInUser['actor'],
  organizationId: string,
  scope: NeededScope,
): Context | undefined {
  const operation = { operationId: '', scope, readers: false }
  try {
    return admitToken(ctx, actor, operation, { organizationId })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/**
 * Returns the spaces that a user may read and takes part in, by id: with change requests of these
 * statuses, reviews that are asked of them, or comments.
 */
export function spacesOfParticipant(
  ctx: Context,
  organizations: readonly AdmittedTo[],
  userId: string,
  statuses: readonly ChangeRequestStatus[],
): Map<string, SpaceRow> {
  const found = findSpaces(ctx.store, listSpacesOfParticipant(ctx.store, userId, statuses))
  const within = new Set([...found.values()].map(row => row.organization_id))
  const roles = new Map(
    organizations
      .filter(({ organization }) => within.has(organization.id))
      .map(({ organization: { id }, admitted }) => [id, rolesIn(admitted, id, userId)]),
  )

  for (const [id, row] of found) {
    const { collection_id: parent_id, default_level, deleted_at } = row
    const roleOn = roles.get(row.organization_id)
    const role = deleted_at === null && roleOn?.('space', { id, parent_id, default_level })
    if (!role) found.delete(id)
  }

  return found
}
