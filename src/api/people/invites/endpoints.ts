import type { z } from 'zod'
import { organization } from '../../../access/guards/organization.ts'
import { self } from '../../../access/guards/self.ts'
import { recordOn, recordOnMember } from '../../../actions/events/record-event.ts'
import { endOf } from '../../../actions/members/invite-end.ts'
import { disabled, signInOnly } from '../../../actions/members/join-with-invite.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid } from '../../../errors.ts'
import { endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { randomId } from '../../../lib/digest.ts'
import { putInvitation } from '../../../store/people/invitations.ts'
import { belongsElsewhere, findMembership, insertMember } from '../../../store/people/members.ts'
import { findOrganization } from '../../../store/people/organizations.ts'
import { findRevocation } from '../../../store/people/revocations.ts'
import { emailIn, findUserByEmail, insertUser } from '../../../store/people/users.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { InvitationRow, UserRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { defaultRole, isInDomain } from './default-role.ts'
import { Invitation, Invited } from './schema.ts'

export const inviteUsersToOrganization = endpoint({
  operationId: 'inviteUsersToOrganization',
  summary: 'Add users to an organization by e-mail address',
  description:
    'Adds users by e-mail address. Requires an admin of the organization. For an unknown address, a user is created; the address identifies this user in this organization only. New users, and users without another organization, become members immediately. A user of another organization gets an invitation, listed at `GET /user/invitations`, which can be accepted within 7 days; the answer then has the id of the invitation in place of the id of the user. Existing members stay unchanged. No e-mail is sent: the operator of the server creates a token for a new user with `stemma token create --user`.',
  params: OrganizationPath,
  body: Invitation,
  reply: Invited,
  access: organization('admin'),
  handle: ({ ctx, body, by }) => {
    const people = peopleOf(body)
    return inTransaction(({ organization: row, user }) => {
      const { id } = row
      const time = ctx.now()
      const at = time.toISOString()
      const users: string[] = []
      const failedSSOEmails: string[] = []

      for (const {
        email,
        role = body.role === undefined ? defaultRole(row) : body.role,
      } of people) {
        const found = userWith(ctx, email, id, at)
        if (findMembership(ctx.store, id, found.id)) continue
        const sso = body.sso === true && isInDomain(row, email)
        const person = { organization_id: id, user_id: found.id, role, sso: Number(sso) }
        const asked = belongsElsewhere(ctx.store, id, found.id)
        const target = asked
          ? {
              kind: 'invitation',
              id: invite(ctx, { ...person, email, created_by: user.id }, time).id,
            }
          : { kind: 'member', id: found.id }
        if (!asked) insertMember(ctx.store, { ...person, joined_at: at })
        users.push(target.id)
        if (body.sso && !sso) failedSSOEmails.push(email)
        recordOn(target.kind)(ctx, { id: target.id, organization_id: id }, 'member.invited', by, {
          role,
          sso,
        })
      }

      return {
        users,
        invited: users.length,
        ...(failedSSOEmails.length > 0 && { failedSSOEmails }),
      }
    })
  },
})

export const joinOrganization = endpoint({
  operationId: 'joinOrganization',
  summary: 'Join an organization by the domain of your e-mail address',
  description:
    'Makes you a member with the role for new members (`defaultRole`), at most "create". The domain of your e-mail address must be in `emailDomains` of the organization. Existing members stay unchanged. Former members cannot rejoin this way: an admin has to add them. For all other users the answer is a 404, as for an unknown organization.',
  params: OrganizationPath,
  reply: nothing,
  access: self,
  write: ({ ctx, user, params, by }) => {
    const row = findOrganization(ctx.store, params.organizationId)
    const own = row && findMembership(ctx.store, row.id, user.id)
    if (own?.disabled) throw disabled()
    if (own) return

    // Only users who may join learn whether the organization exists.
    const email = row && emailIn(user, row.id)

    if (!row || !email || !isInDomain(row, email)) {
      throw new Fault(
        'not_found',
        `There is no organization "${params.organizationId.slice(0, 100)}" that you can join with your e-mail address. Ask one of its admins for an invitation.`,
      )
    }

    if (row.sso === 1) throw signInOnly()

    if (findRevocation(ctx.store, row.id, user.id) !== undefined)
      throw new Fault(
        'membership_ended',
        'You have left this organization or were removed from it. Ask one of its admins to add you.',
      )

    const at = ctx.now().toISOString()
    const role = defaultRole(row)

    const member = { organization_id: row.id, user_id: user.id }
    insertMember(ctx.store, { ...member, role, joined_at: at })
    recordOnMember(ctx, member, 'member.joined', by, { role, by: 'domain' })
  },
})

type Person = { email: string; role?: Role | null }

/** Returns each person once, ignoring the case of addresses. */
function peopleOf({ emails }: z.output<typeof Invitation>): Person[] {
  const people = new Map<string, Person>()
  for (const each of emails) {
    const person: Person = typeof each === 'string' ? { email: each } : each
    const key = person.email.toLowerCase()
    const before = people.get(key)
    if (before && before.role !== person.role)
      throw invalid(`"emails" in the body: "${person.email}" is listed twice with different roles.`)
    if (!before) people.set(key, person)
  }

  return [...people.values()]
}

/** Invites a user who has an account, or renews their invitation; call it inside a transaction. */
const invite = (
  ctx: Context,
  person: Pick<
    InvitationRow,
    'organization_id' | 'user_id' | 'email' | 'role' | 'sso' | 'created_by'
  >,
  now: Date,
): InvitationRow =>
  putInvitation(ctx.store, {
    id: randomId(),
    ...person,
    created_at: now.toISOString(),
    expires_at: endOf(undefined, now),
  })

/**
 * Returns the user whose address this is in an organization; creates one, named after the address,
 * when there is none. What the organization says about an address holds for itself alone.
 */
function userWith(ctx: Context, email: string, organizationId: string, at: string): UserRow {
  const name = [...email.slice(0, email.lastIndexOf('@'))].slice(0, 64).join('')
  return (
    findUserByEmail(ctx.store, email, organizationId) ??
    insertUser(ctx.store, {
      id: randomId(),
      display_name: name,
      email,
      asserted_by: organizationId,
      created_at: at,
    })
  )
}
