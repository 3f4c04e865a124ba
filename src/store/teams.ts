import type { TeamRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** Adds a team. */
export const insertTeam = (store: Store, row: Omit<TeamRow, 'seq'>): TeamRow =>
  store.get(query.insertInto('team').values(row).returningAll()) as TeamRow

/** Puts a user into a team, or gives the one in it this role. */
export const putTeamMember = (
  store: Store,
  teamId: string,
  userId: string,
  role: 'owner' | 'member' = 'member',
): number =>
  store.run(
    query
      .insertInto('team_member')
      .values({ team_id: teamId, user_id: userId, role })
      .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet({ role })),
  )

/** The organizations in which a user owns a team. */
export const listOrganizationsOfOwnedTeams = (store: Store, userId: string): Set<string> =>
  new Set(
    store
      .all(
        query
          .selectFrom('team_member')
          .innerJoin('team', 'team.id', 'team_member.team_id')
          .select('team.organization_id')
          .distinct()
          .where('team_member.user_id', '=', userId)
          .where('team_member.role', '=', 'owner'),
      )
      .map(row => row.organization_id),
  )
