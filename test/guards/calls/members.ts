import { sql } from 'kysely'
import { sqlRows } from '../../../src/store/store.ts'
import { type Caller, join } from '../callers.ts'
import { at, put } from '../rows.ts'
import { another, type World } from '../world.ts'
import { type Calls, fresh, own, restoring } from './call.ts'

const idOf = ({ by }: World, { actor }: Caller) => actor.id || by.id

const update = ({ app }: World, text: ReturnType<typeof sql>) => app.ctx.store.run(sqlRows(text))

/** A member who can be spared. */
function newMember({ app, ids }: World): string {
  const { id } = app.user(another('leaver'))
  join(app, ids.organizationId as string, id, 'read')
  return id
}

/** An invite link: to the organization, or to its space. */
const newInvite = ({ app, by, ids }: World, { level = null }: { level?: string | null } = {}) => ({
  ids: {
    inviteId: put(app, 'link_invite', {
      organization_id: ids.organizationId as string,
      role: level ? null : 'read',
      level,
      space_id: level && (ids.spaceId as string),
      created_by: by.id,
      created_at: at,
    }),
  },
})

const setDomains = (world: World, domains: string[]) =>
  update(
    world,
    sql`update organization set email_domains = ${JSON.stringify(domains)} where id = ${world.ids.organizationId}`,
  )

const toSpace = { level: 'read' }

/** Members, and how one becomes one. */
export const members: Calls = {
  'getMemberInOrganizationById@self': own((world, caller) => ({ ids: { userId: idOf(world, caller) } })),
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
  'createOrganizationInvite@space': fresh(({ ids }) => ({ body: { level: 'read', space: ids.spaceId } })),
  'createOrganizationInvite@collection': fresh(({ ids }) => ({
    body: { level: 'read', collection: ids.collectionId },
  })),
  getOrganizationInviteLink: fresh(world => newInvite(world)),
  'getOrganizationInviteLink@space': fresh(world => newInvite(world, toSpace)),
  updateOrganizationInviteById: fresh(world => ({ ...newInvite(world), body: { role: 'comment' } })),
  'updateOrganizationInviteById@space': fresh(world => ({
    ...newInvite(world, toSpace),
    body: { level: 'comment' },
  })),
  deleteOrganizationInviteById: fresh(world => newInvite(world)),
  'deleteOrganizationInviteById@space': fresh(world => newInvite(world, toSpace)),
}
