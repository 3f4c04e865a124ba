import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createToken } from '../../src/actions/people/create-token.ts'
import { findMembership, updateMember } from '../../src/store/people/members.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { query } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
const { admin, ctx } = app
test.after(() => app.stop())

const people = '/app/people/acme'
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(ctx.store, { id: 'rival', title: 'Rival', created_at: at })
const rival = app.user('Riv')
putMember(ctx.store, 'rival', rival.id, 'admin', at)

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const owner = await signedIn(admin.token)
const pageOf = async (browser = owner, path = people) => (await browser.get(path)).text
const roleOf = (id: string) => findMembership(ctx.store, 'acme', id)?.role
const invites = () => ctx.store.all(query.selectFrom('link_invite').selectAll())

const asked = { role: 'edit', days: '7', uses: '1' }

test('the page of people leads to those of the only organization', async () => {
  const { status, headers } = await owner.get('/app/people')
  assert.equal([status, headers.get('location')], [303, people])
  const text = await pageOf()
  assert.match(text, 'People of Acme')
  assert.match(text, 'ada@example.org')
})

test('an invitation is made, its address is shown once, and leads to an account', async () => {
  const form = formIn(await pageOf(), `${people}/invites`)
  const made = await owner.post(`${people}/invites`, { ...form, ...asked })
  assert.equal([made.status, made.headers.get('location')], [303, people])
  const text = await pageOf()
  const [path = ''] = /\/join\/\w{20}/.exec(text) ?? []
  assert.ok(path, text)
  assert.match(text, 'Role “edit”')
  assert.match(text, 'used 0 of 1 times')
  assert.not.match(await pageOf(), '/join/')

  const guest = new Browser(app.url)
  const joined = await guest.post(path, { displayName: 'Neu' })
  assert.equal([joined.status, joined.headers.get('location')], [303, `${app.url}/app`])
  assert.is((await guest.get('/app')).status, 200)
  assert.match(await pageOf(), 'Neu')
})

test('admins of the first organization create others', async () => {
  assert.match(await pageOf(), '/app/organizations/new')
  const path = '/app/organizations'
  const form = formIn((await owner.get(`${path}/new`)).text, path)
  assert.is((await owner.post(path, { ...form, title: 'x' })).status, 400)
  const made = await owner.post(path, { ...form, title: 'Second' })
  assert.is(made.status, 303)
  assert.match(await pageOf(owner, made.headers.get('location') as string), 'People of Second')
  const other = await signedIn(rival.token)
  assert.is((await other.get(`${path}/new`)).status, 403)
})

test('an invitation is withdrawn', async () => {
  const form = formIn(await pageOf(), `${people}/invites`)
  await owner.post(`${people}/invites`, { ...form, ...asked, uses: '', role: 'guest' })
  const [path = ''] = /\/join\/\w{20}/.exec(await pageOf()) ?? []
  const { id } = invites().at(-1)!
  const action = `${people}/invites/${id}/delete`
  assert.is((await owner.post(action, formIn(await pageOf(), action))).status, 303)
  assert.is((await new Browser(app.url).get(path)).status, 404)
})

test('members are found by name and address, and a long list has pages', async () => {
  for (let index = 0; index < 60; index++) app.user(`Member${index}`, 'read')
  assert.match(await pageOf(owner, `${people}?search=MEMBER59`), 'Member59')
  assert.not.match(await pageOf(owner, `${people}?search=member59`), 'Member58')
  assert.match(await pageOf(owner, `${people}?search=member59%40example`), 'Member59')
  const none = await pageOf(owner, `${people}?search=%3Cb%3Enobody`)
  assert.match(none, 'No member has')
  assert.not.match(none, '<b>nobody')

  const seen = new Set<string>()
  for (let path: string | undefined = people; path !== undefined; ) {
    const text: string = await pageOf(owner, path)
    for (const [name] of text.matchAll(/Member\d+/g)) seen.add(name)
    path = /href="([^"]+)" class="btn">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  assert.is(seen.size, 60)
  for (const after of ['x', '~', `${'x'.repeat(300)}~y`, '%00~'])
    assert.ok((await owner.get(`${people}?after=${after}`)).status <= 400, after)
})

test('a role is changed, and a member is removed', async () => {
  const user = app.user('Bo', 'read')
  const action = `${people}/members/${user.id}`
  const path = `${people}?search=Bo`
  const form = formIn(await pageOf(owner, path), action)
  for (const role of ['review', 'guest', 'admin'] as const) {
    assert.is((await owner.post(action, { ...form, role })).status, 303)
    assert.is(roleOf(user.id), role === 'guest' ? null : role)
  }
  assert.is((await owner.post(action, { ...form, role: 'king' })).status, 400)
  const remove = formIn(await pageOf(owner, path), `${action}/remove`)
  assert.is((await owner.post(`${action}/remove`, remove)).status, 303)
  assert.is(roleOf(user.id), undefined)
  assert.is((await owner.post(`${action}/remove`, remove)).status, 303)
})

test('the last admin keeps the role and the place', async () => {
  const action = `${people}/members/${admin.id}`
  const csrf = await owner.csrf()
  for (const [path, form] of [
    [action, { role: 'edit' }],
    [`${action}/remove`, {}],
  ] as const) {
    const { status, text } = await owner.post(path, { csrf, ...form })
    assert.is(status, 409)
    assert.match(text, 'This is the last admin of the organization.')
  }
  assert.is(roleOf(admin.id), 'admin')
})

test('a member leaves, and is led home', async () => {
  const user = app.user('Lea', 'read')
  const browser = await signedIn(user.token)
  const action = `${people}/members/${user.id}/remove`
  const form = formIn(await pageOf(browser, `${people}?search=Lea`), action)
  const { status, headers } = await browser.post(action, form)
  assert.equal([status, headers.get('location')], [303, '/app'])
  assert.is(roleOf(user.id), undefined)
})

/** Every address of the page and its forms, by who may: the same as of the operations of the API. */
test('every address is guarded as the API guards it', async () => {
  const target = app.user('Target', 'read')
  const { secret } = createToken(
    ctx.store,
    { userId: admin.id, name: 'read', scopes: ['read'] },
    ctx.now(),
  )
  const disabled = app.user('Disabled', 'admin')
  updateMember(ctx.store, 'acme', disabled.id, { disabled: 1 })
  const { body: link } = await admin.post('/v1/orgs/acme/link-invites', { role: 'read' })
  const member = `${people}/members/${target.id}`
  const forms: [path: string, form: Record<string, string>][] = [
    [`${people}/invites`, asked],
    [`${people}/invites/${link.linkId}/delete`, {}],
    [member, { role: 'edit' }],
    [`${member}/remove`, {}],
  ]
  const callers: [who: string, token: string, page: number, form: number[]][] = [
    ['guest', app.user('Guest', null).token, 403, [403, 404, 403, 403]],
    ['read', app.user('Reader', 'read').token, 200, [403, 404, 403, 403]],
    ['create', app.user('Creator', 'create').token, 200, [403, 404, 403, 403]],
    // Removing who is not there is repeatable, and removes nobody.
    ['stranger', app.user('Stranger').token, 404, [404, 404, 404, 303]],
    ['elsewhere', rival.token, 404, [404, 404, 404, 303]],
    ['disabled', disabled.token, 404, [404, 404, 404, 303]],
    ['a token that reads', secret, 200, [403, 403, 403, 403]],
  ]

  for (const [who, token, page, wanted] of callers) {
    const browser = await signedIn(token)
    assert.is((await browser.get(people)).status, page, who)
    const csrf = await browser.csrf()
    const before = invites().length
    for (const [index, [path, form]] of forms.entries()) {
      const { status } = await browser.post(path, { csrf, ...form })
      assert.is(status, wanted[index], `${who} ${path}`)
    }
    assert.equal([invites().length, roleOf(target.id)], [before, 'read'], who)
  }

  const nobody = new Browser(app.url)
  for (const [path, form] of forms) {
    assert.is((await nobody.post(path, form)).status, 401)
    assert.is((await owner.post(path, { ...form, csrf: 'x' })).status, 403)
    const evil = { origin: 'https://evil.example' }
    const csrf = await owner.csrf()
    assert.is((await owner.post(path, { ...form, csrf }, evil)).status, 403)
  }
  assert.is((await nobody.get(people)).status, 303)
  assert.is(roleOf(target.id), 'read')
})

test('a reader sees members and no forms of admins', async () => {
  const text = await pageOf(await signedIn(app.user('Ron', 'read').token))
  assert.match(text, 'ada@example.org')
  assert.not.match(text, /action="[^"]*invites|Open invitations|action="[^"]*members\/ada/)
})

test('an organization without links says so', async () => {
  await admin.patch('/v1/orgs/acme', { inviteLinks: false })
  assert.match(await pageOf(), 'Invite links are turned off')
  const csrf = await owner.csrf()
  assert.is((await owner.post(`${people}/invites`, { csrf, ...asked })).status, 403)
  await admin.patch('/v1/orgs/acme', { inviteLinks: true })
})

test.run()
