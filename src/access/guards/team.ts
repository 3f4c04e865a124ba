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
 * A team of an organization, for somebody who may see it (all members but guests), or manage it (its owners, and admins
 * of the organization). Throws 'missing' or 'forbidden'. A guard asks it, and a transaction again.
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
    throw forbidden('Only owners of the team and admins of the organization may do this.')
  return { ...granted, team }
}

/** Lets in those who may see the team of the path, or manage it, and hands the team on. */
export const team =
  (needed: 'view' | 'manage'): Access<TeamPath, TeamGrant> =>
  ({ ctx, actor, params }) =>
    checkTeam(ctx, params, signedIn(actor), needed)
