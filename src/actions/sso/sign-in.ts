import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { findMembership, insertMember } from '../../store/people/members.ts'
import { putTeamMember } from '../../store/people/teams.ts'
import { findUser, findUserByEmail, insertUser, updateUser } from '../../store/people/users.ts'
import { insertAssertion } from '../../store/sso/assertions.ts'
import {
  findIdentity,
  hasIdentity,
  insertIdentity,
  updateIdentity,
} from '../../store/sso/identities.ts'
import { findProvider } from '../../store/sso/providers.ts'
import { takeRequest } from '../../store/sso/requests.ts'
import type { MemberRow, SsoProviderRow, SsoRequestRow, UserRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { refusedSignIn } from './refusal.ts'

/** A person as a provider confirmed them. */
export type Identity = {
  /** What the provider calls the person, for ever. */
  subject: string
  /** In lower case. */
  email: string
  /** At most 64 characters, without control characters. */
  displayName?: string | undefined
  /** When the provider ends the session, ISO 8601. */
  sessionEndsAt?: string | undefined
}

/** An answer of a provider that passed all checks. */
export type Confirmed = {
  providerId: string
  /** The sign-in that it answers, which it ends. */
  requestId: string
  identity: Identity
  /** The SAML assertion, which is accepted once, and until when it could be accepted again. */
  assertion?: { id: string; expiresAt: string } | undefined
}

export type SignedIn = {
  provider: SsoProviderRow
  request: SsoRequestRow
  identity: Identity
  user: UserRow
  member: MemberRow
}

/**
 * Ends a sign-in under way: returns the member that the identity is, who is created at the first
 * sign-in. Throws 'forbidden' or 'invalid', with a reason, when the identity may not sign in. Call
 * inside a transaction, in which the caller also creates the code or session.
 */
export function signIn(ctx: Context, confirmed: Confirmed, origin: Origin | null): SignedIn {
  const { providerId, requestId, identity, assertion } = confirmed
  const at = ctx.now().toISOString()
  const request = takeRequest(ctx.store, providerId, requestId, at)

  if (!request)
    throw refusedSignIn(
      'request',
      'This sign-in has expired or was completed before. Start it again.',
    )

  if (assertion && !insertAssertion(ctx.store, providerId, assertion))
    throw refusedSignIn(
      'replayed',
      'This answer of the identity provider was used before. Sign in again.',
    )

  const provider = findProvider(ctx.store, providerId)
  if (provider?.active !== 1)
    throw refusedSignIn('pending', 'This identity provider is not set up completely. Ask an admin.')

  const { user, member, isNew } = resolve(ctx, provider, identity, at)

  recordEvent(ctx.store, {
    action: 'member.signed_in',
    organizationId: provider.organization_id,
    userId: user.id,
    origin,
    target: { kind: 'member', id: user.id },
    details: { provider: provider.id, ...(isNew && { role: member.role, created: true }) },
    at,
  })

  return { provider, request, identity, user, member }
}

type Resolved = { user: UserRow; member: MemberRow; isNew: boolean }

function resolve(ctx: Context, provider: SsoProviderRow, identity: Identity, at: string): Resolved {
  const known = findIdentity(ctx.store, provider.id, identity.subject)
  const user = known
    ? findUser(ctx.store, known.user_id)
    : findUserByEmail(ctx.store, identity.email, provider.organization_id)
  if (!user) return create(ctx, provider, identity, at)

  const member = findMembership(ctx.store, provider.organization_id, user.id)
  if (!member) throw notMember()
  if (member.disabled === 1) throw disabled()
  if (!known && member.sso === 0) throw notMarked()
  if (!known && hasIdentity(ctx.store, provider.id, user.id)) throw otherSubject()

  if (!known) {
    link(ctx, provider, identity, { userId: user.id, displayName: null }, at)
    return { user, member, isNew: false }
  }

  const renamed = rename(ctx, user, known.display_name, identity.displayName)
  const display_name =
    known.display_name === null ? null : (identity.displayName ?? known.display_name)

  updateIdentity(ctx.store, known, { display_name, last_login_at: at })

  return { user: renamed, member, isNew: false }
}

/**
 * Creates the user and member of an identity, with the default role and team of its provider. The
 * provider speaks for its organization: elsewhere the address stays free for the person who has it.
 */
function create(ctx: Context, provider: SsoProviderRow, identity: Identity, at: string): Resolved {
  const { email, displayName = [...(email.split('@', 1)[0] as string)].slice(0, 64).join('') } =
    identity
  const organization_id = provider.organization_id
  const user = insertUser(ctx.store, {
    id: randomId(),
    display_name: displayName,
    email,
    asserted_by: organization_id,
    created_at: at,
  })

  insertMember(ctx.store, {
    organization_id,
    user_id: user.id,
    role: provider.default_role,
    joined_at: at,
    sso: 1,
  })
  if (provider.default_team_id !== null) putTeamMember(ctx.store, provider.default_team_id, user.id)
  link(ctx, provider, identity, { userId: user.id, displayName }, at)
  recordEvent(ctx.store, {
    action: 'member.joined',
    organizationId: organization_id,
    userId: user.id,
    origin: null,
    target: { kind: 'member', id: user.id },
    details: { role: provider.default_role, by: 'sso', provider: provider.id },
    at,
  })
  const member = findMembership(ctx.store, organization_id, user.id) as MemberRow

  return { user, member, isNew: true }
}

const link = (
  ctx: Context,
  { id }: SsoProviderRow,
  { subject }: Identity,
  { userId, displayName }: { userId: string; displayName: string | null },
  at: string,
) =>
  insertIdentity(ctx.store, {
    provider_id: id,
    subject,
    user_id: userId,
    display_name: displayName,
    created_at: at,
    last_login_at: at,
  })

/**
 * Gives a user the new name that the provider has for them, unless their name is not the one that
 * it gave before.
 */
function rename(
  ctx: Context,
  user: UserRow,
  before: string | null,
  now: string | undefined,
): UserRow {
  if (before === null || now === undefined || now === before || user.display_name !== before)
    return user
  return updateUser(ctx.store, user.id, { display_name: now }) as UserRow
}

const disabled = () =>
  refusedSignIn(
    'disabled',
    'Your membership of this organization is disabled. Ask one of its admins to enable it.',
  )

const otherSubject = () =>
  refusedSignIn(
    'other-subject',
    'The member with your e-mail address signs in with another account of this identity provider. Ask an admin of the organization to remove the member and invite the address again.',
  )

const notMarked = () =>
  refusedSignIn(
    'not-marked',
    'The member with your e-mail address does not use single sign-on. Ask an admin of the organization to mark the member for single sign-on.',
  )

const notMember = () =>
  refusedSignIn(
    'not-a-member',
    'The account with your e-mail address does not belong to this organization. Ask one of its admins to invite the address with single sign-on.',
  )
