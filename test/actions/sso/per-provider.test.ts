import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { type Identity, signIn } from '../../../src/actions/sso/sign-in.ts'
import { Fault } from '../../../src/errors.ts'
import { randomId, sha256 } from '../../../src/lib/digest.ts'
import { findMembership, insertMember, updateMember } from '../../../src/store/people/members.ts'
import {
  insertOrganization,
  putMember,
  updateOrganization,
} from '../../../src/store/people/organizations.ts'
import { findNamedMembers } from '../../../src/store/people/teams.ts'
import {
  findShownUsers,
  findUser,
  insertUser,
  listUsersByEmail,
} from '../../../src/store/people/users.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { insertRequest } from '../../../src/store/sso/requests.ts'
import { stemmaHere } from '../../cli/stemma.ts'
import { actor, startApp } from '../../support/app.ts'

const app = await startApp()
const { store } = app.ctx
test.after(() => app.stop())

const at = '2026-01-01T00:00:00.000Z'
insertOrganization(store, { id: 'globex', title: 'Globex', created_at: at })
updateOrganization(store, 'globex', { email_domains: ['globex.example'] })
const tokenOf = (id: string) =>
  actor(app.url, id, createToken(store, { userId: id, name: 'test' }, app.ctx.now()).secret)
const { id: eve } = app.user('Eve')
putMember(store, 'globex', eve, 'admin', at)
const admins = { acme: app.admin, globex: tokenOf(eve) }
type Org = keyof typeof admins

const kinds = ['saml', 'oidc'] as const
type Kind = (typeof kinds)[number]
for (const organization_id of ['acme', 'globex'])
  for (const kind of kinds)
    insertProvider(store, {
      id: `${organization_id}-${kind}`,
      organization_id,
      kind,
      label: kind,
      active: 1,
      default_role: 'read',
      created_at: at,
      updated_at: at,
    })

function enter(org: Org, kind: Kind, email: string, rest: Partial<Identity> = {}) {
  const providerId = `${org}-${kind}`
  const requestId = randomId()
  const expires_at = new Date(app.ctx.now().getTime() + 60_000).toISOString()
  insertRequest(store, {
    id: requestId,
    provider_id: providerId,
    browser_hash: sha256('x'),
    created_at: at,
    expires_at,
  })
  const identity = { subject: email, email, ...rest }

  return store.transact(() => signIn(app.ctx, { providerId, requestId, identity }, null)).user
}
const refusal = (work: () => unknown): string | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return String(error.refusal?.label)
    throw error
  }
  return undefined
}
const invite = (org: Org, email: string, more: object = {}) =>
  admins[org].post(`/v1/orgs/${org}/invites`, { emails: [email], role: 'read', ...more })
const isMember = (org: Org, id: string) => findMembership(store, org, id) !== undefined
const env = { STEMMA_DATA: app.dataDir }

for (const kind of kinds) {
  const address = (name: string) => `${name}-${kind}@globex.example`

  test(`${kind}: an address that another provider asserted first is free for its owner`, () => {
    const email = address('first')
    const theirs = enter('acme', kind, email, { displayName: 'Impostor' })
    const own = enter('globex', kind, email, { displayName: 'First' })
    assert.is.not(own.id, theirs.id)
    assert.equal([isMember('globex', own.id), isMember('acme', own.id)], [true, false])
    // Each comes back as themselves.
    assert.is(enter('acme', kind, email).id, theirs.id)
    assert.is(enter('globex', kind, email).id, own.id)
  })

  test(`${kind}: an owner who signed in first keeps the account`, () => {
    const email = address('second')
    const own = enter('globex', kind, email)
    const theirs = enter('acme', kind, email)
    assert.is.not(theirs.id, own.id)
    assert.is(enter('globex', kind, email).id, own.id)
    assert.is(findUser(store, own.id)?.display_name, own.display_name)
  })

  test(`${kind}: invitations before and after reach the owner, not the account of the provider`, async () => {
    const email = address('invited')
    const theirs = enter('acme', kind, email)
    const { body } = await invite('globex', email, { sso: true })
    assert.is.not(body.users[0], theirs.id)
    assert.ok(isMember('globex', body.users[0]))
    assert.equal((await tokenOf(theirs.id).get('/v1/user/invitations')).body.items, [])
    assert.is(enter('globex', kind, email).id, body.users[0])

    // The other way round.
    const earlier = address('earlier')
    const invited = (await invite('globex', earlier, { sso: true })).body.users[0]

    assert.is.not(enter('acme', kind, earlier).id, invited)
    assert.is(enter('globex', kind, earlier).id, invited)
  })

  test(`${kind}: an invitation by one organization does not take an address from another`, async () => {
    const email = address('taken')
    const { body } = await invite('acme', email)
    const own = enter('globex', kind, email)
    assert.is.not(own.id, body.users[0])
  })

  test(`${kind}: the account of a provider does not join another organization by its address`, async () => {
    const theirs = enter('acme', kind, address('joining'))
    assert.is((await tokenOf(theirs.id).post('/v1/orgs/globex/join')).status, 404)
    insertUser(store, {
      id: `own-${kind}`,
      display_name: 'Own',
      email: address('joining'),
      created_at: at,
    })
    assert.is((await tokenOf(`own-${kind}`).post('/v1/orgs/globex/join')).status, 204)
  })

  test(`${kind}: an account of the operator is asked for, and is linked when it is marked`, () => {
    const email = address('operator')
    const theirs = enter('acme', kind, email)
    const id = `operator-${kind}`
    insertUser(store, { id, display_name: 'Operator', email, created_at: at })
    assert.is(
      refusal(() => enter('globex', kind, email)),
      'not-a-member',
    )
    insertMember(store, { organization_id: 'globex', user_id: id, role: 'edit', joined_at: at })
    assert.is(
      refusal(() => enter('globex', kind, email)),
      'not-marked',
    )
    updateMember(store, 'globex', id, { sso: 1 })
    assert.is(enter('globex', kind, email).id, id)
    assert.is(enter('acme', kind, email).id, theirs.id)
  })

  test(`${kind}: a disabled member stays out, whatever another provider says`, () => {
    const email = address('disabled')
    const own = enter('globex', kind, email)
    updateMember(store, 'globex', own.id, { disabled: 1 })
    enter('acme', kind, email)
    assert.is(
      refusal(() => enter('globex', kind, email)),
      'disabled',
    )
  })

  test(`${kind}: a subject with another address stays the same account, with its address`, () => {
    const own = enter('globex', kind, address('before'), { subject: `subject-${kind}` })
    const again = enter('globex', kind, address('after'), { subject: `subject-${kind}` })
    assert.equal([again.id, again.email], [own.id, address('before')])
    assert.is.not(enter('acme', kind, address('after')).id, own.id)
  })

  test(`${kind}: elsewhere the address is neither shown nor found`, () => {
    const email = address('shown')
    const theirs = enter('acme', kind, email)
    insertMember(store, {
      organization_id: 'globex',
      user_id: theirs.id,
      role: 'read',
      joined_at: at,
    })
    assert.is(findShownUsers(store, eve, [theirs.id]).get(theirs.id)?.email, null)
    assert.is(findShownUsers(store, app.admin.id, [theirs.id]).get(theirs.id)?.email, email)
    assert.is(findNamedMembers(store, 'globex', [email]).size, 0)
    assert.is(findNamedMembers(store, 'acme', [email]).get(email), theirs.id)
  })

  test(`${kind}: the operator creates the owner, and an ambiguous address is reported`, async () => {
    const email = address('ambiguous')
    const theirs = enter('acme', kind, email)
    const create = ['user', 'create', '--name', 'Own', '--email', email, '--org']
    assert.match((await stemmaHere([...create, 'acme'], env)).stderr, /already has the address/)
    const { code, stdout, stderr } = await stemmaHere([...create, 'globex'], env)

    assert.is(code, 0, stderr)
    assert.is(listUsersByEmail(store, email).length, 2)
    const refused = await stemmaHere(['token', 'create', '--user', email, '--name', 'x'], env)

    assert.is(refused.code, 1)

    for (const part of [
      theirs.id,
      stdout.trim(),
      'in the organization "acme"',
      'Name the user by id',
    ])
      assert.ok(refused.stderr.includes(part), refused.stderr)
  })
}

test.run()
