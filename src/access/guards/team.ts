import type { Context } from '../../context.ts'
import { forbidden, missing } from '../../errors.ts'
import { findTeam, findTeamRole } from '../../store/people/teams.ts'
import type { TeamRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { checkMember, type OrganizationGrant } from './organization.ts'
import { signedIn } from './space.ts'

type TeamPath = { organizationId: string; teamId: string }

export type TeamGrant = OrganizationGrant & { team: TeamRow }

/**
 * Returns a team that a user may see (all members but guests) or manage (owners of the team and admins of the
 * organization). Throws 'missing' or 'forbidden'. Guards call it, and transactions call it again.
 */
export function checkTeam(
  ctx: Context,
  { organizationId, teamId }: TeamPath,
  user: UserRow,
  needed: 'view' | 'manage',
): TeamGrant {
  const granted = checkMember(ctx, organizationId, user, 'read')
  const team = findTeam(ctx.store, organizationId, teamId)
  if (!team) throw missing('team', teamId)
  const manages =
    atLeast(granted.member.role, 'admin') || findTeamRole(ctx.store, teamId, user.id) === 'owner'
  if (needed === 'manage' && !manages)
    throw forbidden('Only owners of the team and admins of the organization can do this.')
  return { ...granted, team }
}

/** Admits users who may see or manage the team of the path; grants the team. */
export const team =
  (needed: 'view' | 'manage'): Access<TeamPath, TeamGrant> =>
  ({ ctx, actor, params }) =>
    checkTeam(ctx, params, signedIn(actor), needed)
