import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const at = '2026-01-01T00:00:00.000Z'

test.after(() => app.stop())

test('members and guests can list their organizations, strangers none', async () => {
  assert.is((await guest.get('/v1/orgs/acme')).status, 200)
  assert.is((await stranger.get('/v1/orgs/acme')).status, 404)
  assert.is((await stranger.get('/v1/orgs/unknown')).status, 404)
  assert.is((await app.anonymous.get('/v1/orgs/acme')).status, 401)
  assert.equal((await stranger.get('/v1/orgs')).body, { count: 0, items: [] })
  assert.is((await app.anonymous.get('/v1/orgs')).status, 401)
  const list = await member.get('/v1/orgs')
  assert.equal(list.body.items, [(await member.get('/v1/orgs/acme')).body])
})

test('admins of the first organization create others, and become their admins', async () => {
  const made = await app.admin.post('/v1/orgs', {
    title: 'Second',
    emailDomains: ['Example.com', 'example.com'],
  })
  assert.is(made.status, 201, made.text)
  const { id, urls, emailDomains } = made.body
  assert.is(made.headers.get('location'), urls.location)
  assert.equal(emailDomains, ['example.com'])
  const { items } = (await app.admin.get(`/v1/orgs/${id}/members`)).body
  assert.equal(
    items.map((each: { id: string; role: string }) => [each.id, each.role]),
    [[app.admin.id, 'admin']],
  )
  const events = (await app.admin.get(`/v1/orgs/${id}/audit-events`)).body.items
  assert.equal(events.map((each: { action: string }) => each.action).sort(), [
    'member.joined',
    'organization.created',
  ])

  const other = app.user('Ola')
  putMember(app.ctx.store, id, other.id, 'admin', at)
  assert.is((await other.post('/v1/orgs', { title: 'Third' })).status, 403)
  assert.is((await member.post('/v1/orgs', { title: 'Third' })).status, 403)
  assert.is((await stranger.post('/v1/orgs', { title: 'Third' })).status, 403)
  for (const title of ['', 'x', ' x ', 'x'.repeat(256)])
    assert.is((await app.admin.post('/v1/orgs', { title })).status, 400, title)
})

test('organizations with an e-mail domain are told to those who belong to them', async () => {
  await app.admin.patch('/v1/orgs/acme', { emailDomains: ['acme.example'] })
  const told = async (who: typeof guest, domain: string) =>
    (await who.get(`/v1/email-domains/${domain}/orgs`)).body.organizations.map(
      (each: { id: string }) => each.id,
    )
  assert.equal(await told(member, 'ACME.example'), ['acme'])
  assert.equal(await told(member, 'other.example'), [])
  assert.equal(await told(stranger, 'acme.example'), [])
  assert.is((await app.anonymous.get('/v1/email-domains/acme.example/orgs')).status, 401)
})

test('the flags reflect the rights of the caller', async () => {
  const of = async (who: typeof guest) => (await who.get('/v1/orgs/acme')).body.permissions
  const flags = (permissions: Record<string, boolean>) =>
    Object.keys(permissions)
      .filter(name => permissions[name])
      .sort()
      .join(' ')

  assert.is(flags(await of(guest)), 'access view')
  assert.is(
    flags(await of(member)),
    'access listInstallations listIntegrations listMembers listTeams view',
  )

  assert.is(
    flags(await of(app.user('Cleo', 'create'))),
    'access createContent createOpenAPISpec listInstallations listIntegrations listMembers listTeams view',
  )
  assert.ok((await of(app.admin)).admin)
  insertTeam(app.ctx.store, { id: 'team', organization_id: 'acme', title: 'Team', created_at: at })
  putTeamMember(app.ctx.store, 'team', 'max', 'owner')
  assert.ok((await of(member)).ownTeam)
})

test('only admins can update an organization', async () => {
  const body = {
    title: 'Acme & Co',
    emailDomains: ['Example.ORG', 'example.org'],
    hostname: 'acme',
    defaultRole: null,
    defaultContent: null,
    logo: 'https://example.org/logo.svg',
    sso: true,
    ai: true,
    inviteLinks: false,
    mergeRules: { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] },
  }

  assert.is((await member.patch('/v1/orgs/acme', body)).status, 403)
  assert.is((await guest.patch('/v1/orgs/acme', body)).status, 403)
  assert.is((await stranger.patch('/v1/orgs/acme', body)).status, 404)
  assert.is((await app.anonymous.patch('/v1/orgs/acme', body)).status, 401)
  assert.is((await app.admin.patch('/v1/orgs/acme', body)).status, 409)
  insertProvider(app.ctx.store, {
    id: 'okta',
    organization_id: 'acme',
    kind: 'saml',
    label: 'Okta',
    active: 1,
    created_at: at,
    updated_at: at,
  })
  const { status, body: changed } = await app.admin.patch('/v1/orgs/acme', body)

  assert.is(status, 200)
  const { defaultContent: _, logo, ...shown } = { ...body, emailDomains: ['example.org'] }

  for (const [name, value] of Object.entries(shown)) assert.equal(changed[name], value, name)
  assert.is(changed.urls.logo, logo)
  assert.equal((await app.admin.get('/v1/orgs/acme')).body, changed)
  assert.equal((await app.admin.patch('/v1/orgs/acme', {})).body, changed)
  const without = await app.admin.patch('/v1/orgs/acme', {
    logo: null,
    defaultRole: 'edit',
    sso: false,
  })

  assert.not('logo' in without.body.urls)
  assert.is(without.body.defaultRole, 'edit')
})

test('invalid bodies are refused with a reason', async () => {
  const refused: [body: unknown, message: RegExp][] = [
    [{ title: 'A' }, /"title" in the body: takes 2 to 255/],
    [{ hostname: 'ab' }, /"hostname"/],
    [{ hostname: '-abc' }, /lower-case letters/],
    [{ emailDomains: ['not a domain'] }, /example.org/],
    [{ defaultRole: 'owner' }, /"defaultRole"/],
    [{ logo: 'ftp://example.org/' }, /"logo"/],
    [{ mergeRules: { type: 'inherit' } }, /"mergeRules/],
    [
      { mergeRules: { type: 'rules', rules: [{ rule: 'allow_bypass', users: ['sid'] }] } },
      /"sid" is not a member/,
    ],
    [{ plan: 'pro' }, /plan/],
  ]
  for (const [body, message] of refused) {
    const reply = await app.admin.patch('/v1/orgs/acme', body)
    assert.is(reply.status, 400, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }
})

test('two organizations cannot have the same hostname', async () => {
  insertOrganization(app.ctx.store, {
    id: 'other',
    title: 'Other',
    hostname: 'taken',
    created_at: at,
  })
  assert.is((await app.admin.patch('/v1/orgs/acme', { hostname: 'taken' })).status, 409)
  assert.is((await app.admin.patch('/v1/orgs/acme', { hostname: 'acme' })).status, 200)
})

test('the list is paged, oldest first', async () => {
  for (const id of ['o1', 'o2', 'o3']) {
    insertOrganization(app.ctx.store, { id, title: id, created_at: at })
    putMember(app.ctx.store, id, 'max', id === 'o2' ? null : 'admin', at)
  }

  const first = await member.get('/v1/orgs?limit=3')
  assert.equal(
    first.body.items.map((item: { id: string }) => item.id),
    ['acme', 'o1', 'o2'],
  )

  assert.equal(
    first.body.items.map((item: { permissions: { admin: boolean } }) => item.permissions.admin),
    [false, true, false],
  )
  const rest = await member.get(`/v1/orgs?limit=3&page=${first.body.next.page}`)

  assert.equal(
    rest.body.items.map((item: { id: string }) => item.id),
    ['o3'],
  )
  assert.not('next' in rest.body)
  assert.is((await member.get('/v1/orgs?limit=0')).status, 400)
})

test.run()
