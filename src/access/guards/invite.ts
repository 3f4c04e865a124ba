import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { inviteIdOf } from '../../store/invite-id.ts'
import { findLinkInvite } from '../../store/people/link-invites.ts'
import { findUser } from '../../store/people/users.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { CollectionRow, LinkInviteRow, SpaceRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { roleOnSpace } from '../space-role.ts'
import { roleOnCollection } from './collection.ts'
import { checkMember, type OrganizationGrant, organization } from './organization.ts'

/** The target of an invite: a space, a collection, or the organization itself (both undefined). */
export type InviteTarget = { space: SpaceRow | undefined; collection: CollectionRow | undefined }

type InviteIds = { spaceId: string | null; collectionId: string | null }

/**
 * Checks that a member may invite others to a space or collection of the organization, or (both
 * null) to the organization: only its admins may. Returns the target. Throws 'missing' for
 * something the member cannot see, 'forbidden' below "admin".
 */
export function checkInviter(
  ctx: Context,
  { organization: { id }, member, user }: OrganizationGrant,
  { spaceId, collectionId }: InviteIds,
): InviteTarget {
  if (spaceId !== null) {
    const space = findSpace(ctx.store, spaceId)
    const there = space?.organization_id === id && space.deleted_at === null
    const role = there ? roleOnSpace(ctx, space, user.id) : null
    if (!there || !role) throw missing('space', spaceId)
    checkAdmin(role, 'on the space')
    return { space, collection: undefined }
  }

  if (collectionId !== null) {
    const collection = findCollection(ctx.store, collectionId)
    const there = collection?.organization_id === id
    const role = there ? roleOnCollection(ctx, collection, user.id) : null
    if (!there || !role) throw missing('collection', collectionId)
    checkAdmin(role, 'on the collection')
    return { space: undefined, collection }
  }

  checkAdmin(member.role, 'in the organization')

  return { space: undefined, collection: undefined }
}

function checkAdmin(role: Role | null, where: string): void {
  if (!atLeast(role, 'admin'))
    throw new Fault(
      'role_required',
      `This needs the role "admin" ${where}; yours is "${role ?? 'guest'}".`,
    )
}

type InviteGrant = OrganizationGrant & { invite: LinkInviteRow; target: InviteTarget }

/** Returns the membership of an invite's creator; undefined if they could no longer create it. */
export function makerOf(ctx: Context, invite: LinkInviteRow): OrganizationGrant | undefined {
  const maker = findUser(ctx.store, invite.created_by)
  if (!maker) return undefined

  try {
    const grant = checkMember(ctx, invite.organization_id, maker, 'guest')
    checkInviter(ctx, grant, { spaceId: invite.space_id, collectionId: invite.collection_id })
    return grant
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/**
 * Admits callers who could create the invite of the path. The path has its id or its secret: the
 * answer that created the invite shows the secret as its id.
 */
export const linkInvite: Access<
  { organizationId: string; inviteId: string },
  InviteGrant
> = asker => {
  const granted = organization('guest')(asker)
  const { store } = asker.ctx
  const { organizationId, inviteId } = asker.params
  const invite =
    findLinkInvite(store, organizationId, inviteId) ??
    findLinkInvite(store, organizationId, inviteIdOf(inviteId))
  if (!invite) throw missing('invite', inviteId)

  try {
    const place = { spaceId: invite.space_id, collectionId: invite.collection_id }
    return { ...granted, invite, target: checkInviter(asker.ctx, granted, place) }
  } catch (error) {
    if (error instanceof Fault) throw missing('invite', inviteId)
    throw error
  }
}
