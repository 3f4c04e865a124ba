import { memberOf, memberToRemove } from '../../../access/guards/member.ts'
import { organization } from '../../../access/guards/organization.ts'
import { recordOnMember } from '../../../actions/events/record-event.ts'
import { changeRole } from '../../../actions/members/change-role.ts'
import { removeMember } from '../../../actions/members/remove-member.ts'
import { endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import {
  type AfterMember,
  findMembership,
  keyOfMember,
  listMembers,
  updateMember,
} from '../../../store/people/members.ts'
import type { MemberRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { loadMember, loadMembers } from './load.ts'
import { memberJwt } from './member-jwt.ts'
import { Member, MemberPatch, MemberPath, MembersQuery, Visit } from './schema.ts'

const minute = 60_000

export const listMembersInOrganizationById = listing({
  operationId: 'listMembersInOrganizationById',
  summary: 'List the members of an organization',
  description:
    'Returns members and guests, including disabled ones. Guests may not call this operation.',
  params: OrganizationPath,
  query: MembersQuery,
  item: Member,
  access: organization('read'),
  list: ({ ctx, organization: { id }, user, query }) => {
    const { role, search, sort = 'joinedAt', order = 'desc' } = query
    const list = { role, search, sort, order }
    return {
      name: `members ${id} ${JSON.stringify(list)}`,
      rows: (limit, after: AfterMember | undefined) =>
        listMembers(ctx.store, id, list, limit, after),
      key: keyOfMember,
      show: rows => loadMembers(ctx, id, rows, user.id),
    }
  },
})

export const getMemberInOrganizationById = endpoint({
  operationId: 'getMemberInOrganizationById',
  summary: 'Get a member of an organization',
  description: 'Returns the membership of one user. Guests can only read their own.',
  params: MemberPath,
  reply: Member,
  access: memberOf('guest'),
  handle: ({ ctx, user, subject }) => loadMember(ctx, subject, user.id),
})

export const updateMemberInOrganizationById = endpoint({
  operationId: 'updateMemberInOrganizationById',
  summary: 'Update the role of a member',
  description:
    'Changes the role of the member in the organization; roles on spaces and collections stay. The role of the last admin cannot be changed: make another member an admin first. Requires an admin of the organization.',
  params: MemberPath,
  body: MemberPatch,
  reply: Member,
  access: memberOf('admin'),
  write: ({ ctx, subject: before, user, body: { role }, by }) => {
    const row = role === undefined ? before : changeRole(ctx, before, role, by)
    return loadMember(ctx, row, user.id)
  },
})

export const removeMemberFromOrganizationById = endpoint({
  operationId: 'removeMemberFromOrganizationById',
  summary: 'Remove a member from an organization, or leave it',
  description:
    'The user loses the membership, all teams, all roles on spaces and collections, and pending review requests; their content stays. Requires an admin of the organization, or the member themselves. The last admin can neither leave nor be removed. Existing invites and the domain of the e-mail address do not let the user join again: an admin has to add or invite them. Tokens from single sign-on of the organization are revoked; if the user belongs to no other organization, all their tokens are. The operation also succeeds when the user is not a member.',
  params: MemberPath,
  reply: nothing,
  access: memberToRemove,
  write: ({ ctx, organization: of, params, by }) => {
    const row = of && findMembership(ctx.store, of.id, params.userId)
    if (row) removeMember(ctx, row, by)
  },
})

export const setUserAsSSOMemberForOrganization = endpoint({
  operationId: 'setUserAsSSOMemberForOrganization',
  summary: 'Mark a member as a single sign-on member',
  description:
    'Marks the member as a user of the single sign-on of the organization. Requires an admin of the organization.',
  params: MemberPath,
  reply: Member,
  access: memberOf('admin'),
  write: ({ ctx, organization: { id }, subject: before, user, by }) => {
    if (before.sso === 1) return loadMember(ctx, before, user.id)
    const row = updateMember(ctx.store, id, before.user_id, { sso: 1 }) as MemberRow
    recordOnMember(ctx, row, 'member.updated', by, { sso: { before: false, after: true } })

    return loadMember(ctx, row, user.id)
  },
})

export const updateOrganizationMemberLastSeenAt = endpoint({
  operationId: 'updateOrganizationMemberLastSeenAt',
  summary: 'Report that you are active',
  description:
    'Records that you were active, at most once a minute; other requests with a token do the same. Returns a signed token with which third parties can verify that you are a member of the organization.',
  params: OrganizationPath,
  reply: Visit,
  access: organization('guest'),
  handle: async ({ ctx, member, user }) => {
    const claims = await memberJwt(ctx, member, user)
    return inTransaction(({ member: now }) => {
      const at = ctx.now()
      if (!now.last_seen_at || at.getTime() - Date.parse(now.last_seen_at) >= minute)
        updateMember(ctx.store, now.organization_id, now.user_id, {
          last_seen_at: at.toISOString(),
        })
      return { serviceVisitorClaims: claims, gitbookVisitorClaims: claims }
    })
  },
})
