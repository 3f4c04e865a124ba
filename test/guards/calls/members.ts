import { sql } from 'kysely'
import { randomId } from '../../../src/lib/digest.ts'
import { inviteIdOf } from '../../../src/store/invite-id.ts'
import { query, sqlRows } from '../../../src/store/store.ts'
import { type Caller, join } from '../callers.ts'
import { at, put } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Calls, fresh, own, restoring } from './call.ts'

const idOf = ({ by }: World, { actor }: Caller) => actor.id || by.id

const update = ({ app }: World, text: ReturnType<typeof sql>) => app.ctx.store.run(sqlRows(text))

/** A member who can be removed. */
function newMember({ app, ids }: World): string {
  const { id } = app.user(another('leaver'))
  join(app, ids.organizationId as string, id, 'read')
  return id
}

/** An invite link: to the organization, or to its space. */
function newInvite({ app, by, ids }: World, { level = null }: { level?: string | null } = {}) {
  const inviteId = randomId()
  put(app, 'link_invite', {
    id: inviteIdOf(inviteId),
    organization_id: ids.organizationId as string,
    role: level ? null : 'read',
    level,
    space_id: level && (ids.spaceId as string),
    created_by: by.id,
    created_at: at,
    expires_at: '2999-01-01T00:00:00.000Z',
  })

  return { ids: { inviteId } }
}

/** Invites a user to the organization, in place of an earlier invitation. */
function newInvitation({ app, by, ids }: World, userId: string) {
  const invited = { organization_id: ids.organizationId as string, user_id: userId }
  app.ctx.store.run(
    query
      .deleteFrom('invitation')
      .where('organization_id', '=', invited.organization_id)
      .where('user_id', '=', userId),
  )
  const invitationId = put(app, 'invitation', {
    ...invited,
    email: 'somebody@example.org',
    role: 'read',
    created_by: by.id,
    created_at: at,
    expires_at: '2999-01-01T00:00:00.000Z',
  })
  return { ids: { invitationId } }
}

const setDomains = (world: World, domains: string[]) =>
  update(
    world,
    sql`update organization set email_domains = ${JSON.stringify(domains)} where id = ${world.ids.organizationId}`,
  )

const toSpace = { level: 'read' }

/** Members, and the ways to become one. */
export const members: Calls = {
  'getMemberInOrganizationById@self': own((world, caller) => ({
    ids: { userId: idOf(world, caller) },
  })),
  updateMemberInOrganizationById: fresh(world => ({
    ids: { userId: newMember(world) },
    body: { role: 'edit' },
  })),
  'updateMemberInOrganizationById@self': own((world, caller) => ({
    ids: { userId: idOf(world, caller) },
    body: { role: 'admin' },
  })),
  removeMemberFromOrganizationById: fresh(world => ({ ids: { userId: newMember(world) } })),
  'removeMemberFromOrganizationById@self': restoring((world, caller) => ({
    ids: { userId: idOf(world, caller) },
  })),
  setUserAsSSOMemberForOrganization: fresh(world => ({ ids: { userId: newMember(world) } })),
  updateOrganizationMemberLastSeenAt: fresh(world => {
    update(world, sql`update member set last_seen_at = null`)
    return {}
  }),
  inviteUsersToOrganization: fresh(() => ({
    body: { emails: [`${another('new')}@example.org`], role: 'read' },
  })),
  acceptUserInvitation: restoring((world, caller) => newInvitation(world, idOf(world, caller))),
  'acceptUserInvitation@other': fresh(world => newInvitation(world, world.fellow)),
  declineUserInvitation: own((world, caller) => newInvitation(world, idOf(world, caller))),
  'declineUserInvitation@other': fresh(world => newInvitation(world, world.fellow)),
  deleteOrganizationInvitation: fresh(world => newInvitation(world, world.fellow)),
  joinOrganizationWithInvite: restoring(world => newInvite(world)),
  joinOrganization: restoring(world => {
    setDomains(world, [])
    return {}
  }),
  'joinOrganization@domain': restoring(world => {
    setDomains(world, ['example.org'])
    return {}
  }),
  createOrganizationInvite: fresh(() => ({ body: { role: 'read' } })),
  'createOrganizationInvite@space': fresh(({ ids }) => ({
    body: { level: 'read', space: ids.spaceId },
  })),
  'createOrganizationInvite@collection': fresh(({ ids }) => ({
    body: { level: 'read', collection: ids.collectionId },
  })),
  getOrganizationInviteLink: fresh(world => newInvite(world)),
  'getOrganizationInviteLink@space': fresh(world => newInvite(world, toSpace)),
  updateOrganizationInviteById: fresh(world => ({
    ...newInvite(world),
    body: { role: 'comment' },
  })),
  'updateOrganizationInviteById@space': fresh(world => ({
    ...newInvite(world, toSpace),
    body: { level: 'comment' },
  })),
  deleteOrganizationInviteById: fresh(world => newInvite(world)),
  'deleteOrganizationInviteById@space': fresh(world => newInvite(world, toSpace)),
}
