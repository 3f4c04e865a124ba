import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { LinkInviteRow } from '../tables/rows.ts'

const linkInvites = new Rows('link_invite')

/**
 * Returns the invite link of an organization with this id (not its secret); undefined also for one
 * to a deleted space.
 */
export const findLinkInvite = (
  store: Store,
  organizationId: string,
  id: string,
): LinkInviteRow | undefined => store.get(usable(organizationId).where('link_invite.id', '=', id))

/** Returns the invite link with this id (not its secret) of any organization, as `findLinkInvite`. */
export function findInviteById(store: Store, id: string): LinkInviteRow | undefined {
  const row = inviteById(store, id)
  return row && findLinkInvite(store, row.organization_id, id)
}

const inviteById = linkInvites.find('id')

/** Returns up to `limit` invite links of an organization below `before`, newest first. */
export const listLinkInvites = (
  store: Store,
  organizationId: string,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): LinkInviteRow[] =>
  store.all(
    usable(organizationId)
      .where('link_invite.seq', '<', before)
      .orderBy('link_invite.seq', 'desc')
      .limit(limit),
  )

/** Excludes links whose target was transferred to another organization. */
const usable = (organizationId: string) =>
  query
    .selectFrom('link_invite')
    .leftJoin('space', 'space.id', 'link_invite.space_id')
    .leftJoin('collection', 'collection.id', 'link_invite.collection_id')
    .selectAll('link_invite')
    .where('link_invite.organization_id', '=', organizationId)
    .where('space.deleted_at', 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('link_invite.space_id', 'is', null),
        eb('space.organization_id', '=', organizationId),
      ]),
    )
    .where(({ eb, or }) =>
      or([
        eb('link_invite.collection_id', 'is', null),
        eb('collection.organization_id', '=', organizationId),
      ]),
    )

/** Inserts an invite link. */
export const insertLinkInvite = linkInvites.insert

/** Updates an invite link. Returns the new row. */
export const updateLinkInvite = linkInvites.update('id')

/** Deletes an invite link. */
export const deleteLinkInvite = linkInvites.remove('id')

/**
 * Counts a use of an invite link by a user. Returns false without changes if the user has used it
 * before.
 */
export function useLinkInvite(store: Store, inviteId: string, userId: string, at: string): boolean {
  const used =
    store.run(
      query
        .insertInto('link_invite_use')
        .values({ invite_id: inviteId, user_id: userId, used_at: at })
        .onConflict(conflict => conflict.doNothing()),
    ) > 0

  if (used)
    store.run(
      query
        .updateTable('link_invite')
        .set(({ eb }) => ({ uses: eb('uses', '+', 1) }))
        .where('id', '=', inviteId),
    )

  return used
}

/** Returns up to `limit` uses of each of the invite links (by id), newest first. */
export const listLinkInviteUses = (
  store: Store,
  inviteIds: readonly string[],
  limit: number,
): Map<string, { user_id: string; used_at: string }[]> =>
  new Map(
    inviteIds.map(id => [
      id,
      store.all(
        query
          .selectFrom('link_invite_use')
          .select(['user_id', 'used_at'])
          .where('invite_id', '=', id)
          .orderBy('used_at', 'desc')
          .orderBy('user_id')
          .limit(limit),
      ),
    ]),
  )
