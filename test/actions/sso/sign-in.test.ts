import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createCode, endReused, exchangeCode } from '../../../src/actions/sso/codes.ts'
import { type Identity, signIn } from '../../../src/actions/sso/sign-in.ts'
import { Fault } from '../../../src/errors.ts'
import { randomId, sha256 } from '../../../src/lib/digest.ts'
import {
  findMembership,
  insertMember,
  listTeamIds,
  updateMember,
} from '../../../src/store/people/members.ts'
import { insertOrganization } from '../../../src/store/people/organizations.ts'
import { insertTeam } from '../../../src/store/people/teams.ts'
import { findToken } from '../../../src/store/people/tokens.ts'
import { findUser, updateUser } from '../../../src/store/people/users.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { findRequest, insertRequest } from '../../../src/store/sso/requests.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { ctx } = app
test.after(() => app.stop())

const at = '2026-01-01T00:00:00.000Z'
const soon = () => new Date(ctx.now().getTime() + 60_000).toISOString()
insertOrganization(ctx.store, { id: 'globex', title: 'Globex', created_at: at })
insertTeam(ctx.store, { id: 'docs', organization_id: 'acme', title: 'Docs', created_at: at })
const provider = insertProvider(ctx.store, {
  id: 'okta',
  organization_id: 'acme',
  kind: 'saml',
  label: 'Okta',
  active: 1,
  default_role: 'edit',
  default_team_id: 'docs',
  created_at: at,
  updated_at: at,
})

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

function begin(set: { code_challenge?: string; redirect_uri?: string } = {}): string {
  const id = `_${randomId()}`
  insertRequest(ctx.store, {
    id,
    provider_id: provider.id,
    browser_hash: sha256('secret'),
    created_at: at,
    expires_at: soon(),
    ...set,
  })

  return id
}

const person = (email: string, rest: Partial<Identity> = {}): Identity => ({
  subject: email,
  email,
  ...rest,
})

const enter = (identity: Identity, requestId = begin()) =>
  ctx.store.transact(() => signIn(ctx, { providerId: provider.id, requestId, identity }, null))

function reasonOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault && error.refusal) return error.refusal.label
    throw error
  }
  return 'none'
}

test('the first sign-in creates a member with the default role and team', () => {
  const { user, member } = enter(person('zoe@example.org', { displayName: 'Zoe Zeta' }))
  assert.is(user.display_name, 'Zoe Zeta')
  assert.equal([member.role, member.sso], ['edit', 1])
  assert.equal(listTeamIds(ctx.store, 'acme', user.id), ['docs'])
  const again = enter(person('zoe@example.org'))
  assert.is(again.user.id, user.id)
})

test('a person without a name is named after the address', () => {
  assert.is(enter(person('yuri@example.org')).user.display_name, 'yuri')
})

test('an account that exists is not taken over', () => {
  app.user('Mia', 'edit')
  app.user('Stranger')
  assert.is(
    reasonOf(() => enter(person('mia@example.org'))),
    'not-marked',
  )

  assert.is(
    reasonOf(() => enter(person('stranger@example.org'))),
    'not-a-member',
  )

  assert.is(
    reasonOf(() => enter(person('ada@example.org'))),
    'not-marked',
  )
  assert.is(findMembership(ctx.store, 'acme', 'stranger'), undefined)
})

test('a member who is marked for single sign-on is linked', () => {
  app.user('Noa', 'comment')
  updateMember(ctx.store, 'acme', 'noa', { sso: 1 })
  const { user, member } = enter(person('noa@example.org', { displayName: 'Other Name' }))
  assert.equal([user.id, user.display_name, member.role], ['noa', 'Noa', 'comment'])
})

test('a disabled or removed member is refused', () => {
  const { user } = enter(person('dan@example.org'))
  updateMember(ctx.store, 'acme', user.id, { disabled: 1 })
  assert.is(
    reasonOf(() => enter(person('dan@example.org'))),
    'disabled',
  )
})

test('a removed member is refused, and signs in again once an admin has marked them', async () => {
  const { user } = enter(person('eve@example.org'))
  assert.is((await app.admin.delete(`/v1/orgs/acme/members/${user.id}`)).status, 204)
  assert.is(
    reasonOf(() => enter(person('eve@example.org'))),
    'not-a-member',
  )

  insertMember(ctx.store, {
    organization_id: 'acme',
    user_id: user.id,
    role: 'read',
    joined_at: at,
  })

  assert.is(
    reasonOf(() => enter(person('eve@example.org'))),
    'not-marked',
  )
  updateMember(ctx.store, 'acme', user.id, { sso: 1 })
  assert.is(enter(person('eve@example.org')).member.role, 'read')
})

for (const kind of ['oidc', 'saml'] as const)
  test(`another subject of a provider (${kind}) with the same address does not open the account`, () => {
    const provider = insertProvider(ctx.store, {
      id: `keycloak-${kind}`,
      organization_id: 'acme',
      kind,
      label: 'Keycloak',
      active: 1,
      created_at: at,
      updated_at: at,
    })

    const sign = (subject: string) => {
      const requestId = `_${randomId()}`
      insertRequest(ctx.store, {
        id: requestId,
        provider_id: provider.id,
        browser_hash: sha256('secret'),
        created_at: at,
        expires_at: soon(),
      })
      const identity = person(`ola-${kind}@example.org`, { subject })
      return ctx.store.transact(() =>
        signIn(ctx, { providerId: provider.id, requestId, identity }, null),
      )
    }
    const { user } = sign('iss one')
    assert.is(sign('iss one').user.id, user.id)
    assert.is(
      reasonOf(() => sign('iss two')),
      'other-subject',
    )
  })

test('a new name at the provider is taken until the user changes it', () => {
  const { user } = enter(person('pat@example.org', { displayName: 'Pat One' }))
  assert.is(
    enter(person('pat@example.org', { displayName: 'Pat Two' })).user.display_name,
    'Pat Two',
  )
  updateUser(ctx.store, user.id, { display_name: 'Patty' })
  enter(person('pat@example.org', { displayName: 'Pat Three' }))
  assert.is(findUser(ctx.store, user.id)?.display_name, 'Patty')
})

test('a sign-in is answered once, and a refused one stays open', () => {
  const id = begin()
  enter(person('ron@example.org'), id)
  assert.is(
    reasonOf(() => enter(person('ron@example.org'), id)),
    'request',
  )
  const other = begin()

  reasonOf(() => enter(person('ada@example.org'), other))
  assert.ok(findRequest(ctx.store, 'okta', other, ctx.now().toISOString()))
})

test('an assertion is accepted once', () => {
  const assertion = { id: '_once', expiresAt: soon() }
  const use = () =>
    ctx.store.transact(() =>
      signIn(
        ctx,
        { providerId: 'okta', requestId: begin(), identity: person('sue@example.org'), assertion },
        null,
      ),
    )

  use()
  assert.is(reasonOf(use), 'replayed')
})

const origin = { requestId: 'r', address: '127.0.0.1', tokenId: null }
const exchange = (code: string, verifier?: string) =>
  ctx.store.transact(() => exchangeCode(ctx, { code, verifier }, origin))

test('a code is exchanged once for a token of the organization, with the verifier of its sign-in', async () => {
  const signedIn = enter(
    person('tim@example.org'),
    begin({ code_challenge: challenge, redirect_uri: 'http://127.0.0.1:1/' }),
  )
  const code = createCode(ctx, signedIn)
  assert.throws(() => exchange(code), /code/)
  assert.throws(() => exchange(code, 'w'.repeat(43)), /code/)
  const { row, secret } = exchange(code, verifier)

  assert.equal(
    [row.organization_id, row.provider_id, row.name],
    ['acme', 'okta', 'Single sign-on: Okta'],
  )
  const hours = (Date.parse(row.expires_at as string) - Date.parse(row.created_at)) / 3_600_000

  assert.is(Math.round(hours), 12)
  const seen = await fetch(`${app.url}/v1/user`, { headers: { authorization: `Bearer ${secret}` } })

  assert.is(seen.status, 200)
  assert.throws(() => exchange(code, verifier), /used before/)
  endReused(ctx, code)
  assert.ok(findToken(ctx.store, row.id)?.revoked_at)
})

test('a token ends with the session at the provider', () => {
  const end = new Date(ctx.now().getTime() + 600_000).toISOString()
  const code = createCode(ctx, enter(person('uma@example.org', { sessionEndsAt: end })))
  assert.is(exchange(code).row.expires_at, end)
})

test.run()
