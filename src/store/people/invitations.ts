import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { InvitationRow, OrganizationRow } from '../tables/rows.ts'

const invitations = new Rows('invitation')

/** Invites a user, or renews the pending invitation. Returns the row. */
export const putInvitation = (store: Store, row: Omit<InvitationRow, 'seq'>): InvitationRow =>
  store.get(
    query
      .insertInto('invitation')
      .values(row)
      .onConflict(conflict =>
        conflict.columns(['organization_id', 'user_id']).doUpdateSet({
          email: row.email,
          role: row.role,
          sso: row.sso,
          created_by: row.created_by,
          created_at: row.created_at,
          expires_at: row.expires_at,
        }),
      )
      .returningAll(),
  ) as InvitationRow

/** Returns the invitation of a user with this id. */
export const findInvitation = invitations.find('user_id', 'id')

/** An invitation with the title of the organization that it leads to. */
type TitledInvitation = InvitationRow & { title: OrganizationRow['title'] }

/**
 * Selects invitations that have not expired, newest first, `limit` from below `before` (a `seq`).
 */
const pending = (now: string, limit: number, before = Number.MAX_SAFE_INTEGER) =>
  query
    .selectFrom('invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .selectAll('invitation')
    .select('organization.title')
    .where('invitation.expires_at', '>', now)
    .where('invitation.seq', '<', before)
    .orderBy('invitation.seq', 'desc')
    .limit(limit)

/** Returns the pending invitations of a user, in pages. */
export const listInvitationsOfUser = (
  store: Store,
  userId: string,
  ...page: Parameters<typeof pending>
): TitledInvitation[] => store.all(pending(...page).where('invitation.user_id', '=', userId))

/** Returns the pending invitations to an organization, in pages. */
export const listInvitationsOf = (
  store: Store,
  organizationId: string,
  ...page: Parameters<typeof pending>
): TitledInvitation[] =>
  store.all(pending(...page).where('invitation.organization_id', '=', organizationId))

/** Deletes an invitation of an organization. Returns the deleted row. */
export const deleteInvitation = (
  store: Store,
  organizationId: string,
  id: string,
): InvitationRow | undefined =>
  store.get(
    query
      .deleteFrom('invitation')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .returningAll(),
  )
