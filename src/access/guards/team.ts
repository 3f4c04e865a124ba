import { Fault, missing } from '../../errors.ts'
import { findTeam, findTeamRole } from '../../store/people/teams.ts'
import type { TeamRow } from '../../store/tables/rows.ts'
import type { Access, Asker } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { type OrganizationGrant, organization } from './organization.ts'

type TeamPath = { organizationId: string; teamId: string }

export type TeamGrant = OrganizationGrant & { team: TeamRow }

/**
 * Admits users who may see the team of the path (all members but guests) or manage it (owners of
 * the team and admins of the organization); grants the team.
 */
export function team(needed: 'view' | 'manage'): Access<TeamPath, TeamGrant> {
  const guard = (asker: Asker<TeamPath>) => {
    const { ctx, params } = asker
    const granted = organization('read')(asker)
    const row = findTeam(ctx.store, params.organizationId, params.teamId)
    if (!row) throw missing('team', params.teamId)

    const manages =
      atLeast(granted.member.role, 'admin') ||
      findTeamRole(ctx.store, row.id, granted.user.id) === 'owner'
    if (needed === 'manage' && !manages)
      throw new Fault(
        'role_required',
        'Only owners of the team and admins of the organization can do this.',
      )

    return { ...granted, team: row }
  }
  // Managing needs a role in the team, or another one in the organization.
  return needed === 'view' ? needing({ role: 'read', on: 'organization' }, guard) : guard
}
