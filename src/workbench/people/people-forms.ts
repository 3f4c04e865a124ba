import { z } from 'zod'
import { linkInvite } from '../../access/guards/invite.ts'
import { memberOf, memberToRemove } from '../../access/guards/member.ts'
import { organization } from '../../access/guards/organization.ts'
import { RoleName } from '../../access/role-names.ts'
import { changeRole } from '../../actions/members/change-role.ts'
import { createLinkInvite, joinUrl } from '../../actions/members/create-link-invite.ts'
import { recordInvite } from '../../actions/members/record-invite.ts'
import { removeMember } from '../../actions/members/remove-member.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { deleteLinkInvite } from '../../store/people/link-invites.ts'
import { findMembership } from '../../store/people/members.ts'
import type { Role } from '../../store/tables/roles.ts'
import { form } from '../frame/page.ts'

const shownOn = ({ organizationId }: { organizationId: string }) => `/people/${organizationId}`

/** A role of the form; guests have none. */
const RoleField = z.enum([...RoleName.options, 'guest'])

const roleOf = (field: z.output<typeof RoleField>): Role | null =>
  field === 'guest' ? null : field

/** The days that an invitation may be valid. */
export const inviteDays = ['1', '7', '30', '90'] as const

/** How often an invitation may be used; '' is without a limit. */
export const inviteUses = ['1', '5', '20', '100', ''] as const

export const invitePeople = form({
  path: '/people/:organizationId/invites',
  scope: 'organization:admin',
  access: organization('guest'),
  body: z.object({ role: RoleField, days: z.enum(inviteDays), uses: z.enum(inviteUses) }),
  shownOn,
  act: ({ ctx, by, body: { role, days, uses } }) =>
    inTransaction(granted => {
      const end = new Date(ctx.now().getTime() + Number(days) * 86_400_000)
      const asked = {
        role: roleOf(role),
        expiresAt: end.toISOString(),
        ...(uses !== '' && { maxUses: Number(uses) }),
      }
      const { secret } = createLinkInvite(ctx, granted, asked, by)
      const { id } = granted.organization
      const text = joinUrl(ctx.publicUrl(), secret)
      return { to: `/people/${id}`, secret: { what: `invite ${id}`, text } }
    }),
})

export const withdrawInvite = form({
  path: '/people/:organizationId/invites/:inviteId/delete',
  scope: 'organization:admin',
  access: linkInvite,
  body: z.object({}),
  shownOn,
  act: ({ ctx, by }) =>
    inTransaction(({ invite }) => {
      deleteLinkInvite(ctx.store, invite.id)
      recordInvite(ctx, invite, 'invite.deleted', by)
      const to = `/people/${invite.organization_id}`
      return { to, notice: 'The invitation was withdrawn.' }
    }),
})

export const changeMember = form({
  path: '/people/:organizationId/members/:userId',
  scope: 'organization:admin',
  access: memberOf('admin'),
  body: z.object({ role: RoleField }),
  shownOn,
  act: ({ ctx, by, body: { role } }) =>
    inTransaction(({ subject }) => {
      changeRole(ctx, subject, roleOf(role), by)
      return { to: `/people/${subject.organization_id}`, notice: 'The role was changed.' }
    }),
})

export const removePerson = form({
  path: '/people/:organizationId/members/:userId/remove',
  scope: 'organization:admin',
  access: memberToRemove,
  body: z.object({}),
  shownOn,
  act: ({ ctx, by, me, params: { organizationId, userId } }) =>
    inTransaction(({ organization: of }) => {
      const row = of && findMembership(ctx.store, of.id, userId)
      if (row) removeMember(ctx, row, by)
      return userId === me.id
        ? { to: '', notice: 'You left the organization.' }
        : { to: `/people/${organizationId}`, notice: 'The member was removed.' }
    }),
})
