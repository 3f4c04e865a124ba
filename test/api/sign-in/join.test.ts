import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findInvited, joinWithInvite } from '../../../src/actions/members/join-with-invite.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { inviteIdOf } from '../../../src/store/invite-id.ts'
import { findMembership, updateMember } from '../../../src/store/people/members.ts'
import { updateOrganization } from '../../../src/store/people/organizations.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { Browser } from '../../support/http/browser.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { meanwhile } from './meanwhile.ts'

const app = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0' })
const { admin, ctx } = app
test.after(() => app.stop())

const past = '2026-01-01T00:00:00.000Z'
const space: string = (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id

/** Makes a link; returns the path of its page. */
async function invite(body: object = { role: 'edit' }): Promise<string> {
  const { urls, id } = (await admin.post('/v1/orgs/acme/link-invites', body)).body
  assert.is(urls.app, `${app.url}/join/${id}`)
  return `/join/${id}`
}

const idOf = (path: string) => inviteIdOf(path.slice('/join/'.length))

const usersNamed = (name: string) =>
  ctx.store.all(query.selectFrom('user').selectAll().where('display_name', '=', name))

const roleOf = (name: string) => {
  const [user] = usersNamed(name)
  return user && findMembership(ctx.store, 'acme', user.id)?.role
}

async function signedIn(token: string): Promise<Browser> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return browser
}

const csrfOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''

test('an invitation makes an account with a name, a role and a browser that is signed in', async () => {
  const path = await invite()
  const browser = new Browser(app.url)
  for (let times = 0; times < 2; times++) {
    const { status, text, headers } = await browser.get(path)
    assert.is(status, 200)
    assert.match(text, /<h1>Join Acme<\/h1>/)
    assert.match(text, /<strong>Ada<\/strong> invites you .* with the role “edit”/)
    assert.is(headers.get('cache-control'), 'no-store')
  }
  assert.not.ok(browser.isSignedIn)

  const joined = await browser.post(path, { displayName: ' Grace Hopper ' })
  assert.is(joined.status, 303)
  assert.match((await browser.get('/app/account')).text, /Grace Hopper/)
  assert.is(roleOf('Grace Hopper'), 'edit')
  assert.is(usersNamed('Grace Hopper')[0]?.email, null)
  const events = await admin.get('/v1/orgs/acme/audit-events?action=member.joined')
  assert.equal(events.body.items[0].details, { role: 'edit', by: 'invite', invite: idOf(path) })
})

test('a link that another server has used up meanwhile lets nobody in', async () => {
  const path = await invite({ role: 'edit', maxUses: 1 })
  const other = app.user('Otto')
  meanwhile(ctx.store, () => {
    const invited = findInvited(ctx, path.slice('/join/'.length))!
    const by = { userId: other.id, origin: { requestId: '', address: '', tokenId: null } }
    ctx.store.transact(() => joinWithInvite(ctx, invited, findUser(ctx.store, other.id)!, by))
  })
  const late = await new Browser(app.url).post(path, { displayName: 'Late' })
  assert.is(late.status, 404)
  assert.is(roleOf('Otto'), 'edit')
  assert.equal(usersNamed('Late'), [])
})

test('a user who is signed in joins with their account', async () => {
  const path = await invite({ role: 'review' })
  const user = app.user('Sid')
  const browser = await signedIn(user.token)
  const { text } = await browser.get(path)
  assert.match(text, /Join as Sid/)
  assert.not.match(text, /displayName/)
  assert.is((await browser.post(path, { csrf: csrfOf(text) })).status, 303)
  assert.is(roleOf('Sid'), 'review')
  assert.is(usersNamed('Sid').length, 1)

  const again = await browser.get(path)
  assert.match(again.text, /You belong to <strong>Acme<\/strong> already/)
  assert.is((await browser.post(path, { csrf: csrfOf(text) })).status, 303)
})

test('a link to a space makes a guest with its level', async () => {
  const path = await invite({ level: 'comment', space })
  const browser = new Browser(app.url)
  assert.match((await browser.get(path)).text, /with the role “comment” on a part of it/)
  await browser.post(path, { displayName: 'Gus' })
  assert.is(roleOf('Gus'), null)
  const [user] = usersNamed('Gus')
  const { secret } = createToken(ctx.store, { userId: user!.id, name: 'x' }, ctx.now())
  const seen = await app.anonymous.get(`/v1/spaces/${space}`, { authorization: `Bearer ${secret}` })
  assert.is(seen.status, 200)
})

test('a link that cannot be used is answered with what to do, the same for every reason', async () => {
  const expired = await invite()
  ctx.store.run(
    query.updateTable('link_invite').set({ expires_at: past }).where('id', '=', idOf(expired)),
  )
  const deleted = await invite()
  await admin.delete(`/v1/orgs/acme/link-invites/${idOf(deleted)}`)
  const usedUp = await invite({ role: 'read', maxUses: 1 })
  await new Browser(app.url).post(usedUp, { displayName: 'First' })
  const id = idOf(await invite())
  const texts = new Set<string>()
  for (const path of [expired, deleted, usedUp, `/join/${id}`, `/join/${'x'.repeat(20)}`]) {
    const browser = new Browser(app.url)
    for (const { status, text } of [
      await browser.get(path),
      await browser.post(path, { displayName: 'Late' }),
    ]) {
      assert.is(status, 404)
      texts.add(text)
    }
    assert.not.ok(browser.isSignedIn)
  }
  assert.is(texts.size, 1)
  assert.match([...texts][0] ?? '', /Ask the person who sent it for a new one/)
  assert.is(usersNamed('Late').length, 0)
})

test('of 20 browsers that use the last place at the same time, one gets in', async () => {
  const path = await invite({ role: 'read', maxUses: 1 })
  const browsers = Array.from({ length: 20 }, () => new Browser(app.url))
  const replies = await Promise.all(browsers.map(each => each.post(path, { displayName: 'Racer' })))
  assert.is(replies.filter(({ status }) => status === 303).length, 1)
  assert.is(usersNamed('Racer').length, 1)
  assert.is(browsers.filter(({ isSignedIn }) => isSignedIn).length, 1)
})

test('the rules of the organization hold, and nobody is created', async () => {
  const browser = new Browser(app.url)
  const path = await invite()
  const cases: [set: Parameters<typeof updateOrganization>[2], said: RegExp][] = [
    [{ invite_links: 0 }, /Invite links are turned off/],
    [{ sso: 1 }, /requires single sign-on/],
  ]
  for (const [set, said] of cases) {
    updateOrganization(ctx.store, 'acme', set)
    for (const { status, text } of [
      await browser.get(path),
      await browser.post(path, { displayName: 'Out' }),
    ]) {
      assert.is(status, 403)
      assert.match(text, said)
      assert.match(text, /<html/)
    }
    updateOrganization(ctx.store, 'acme', { invite_links: 1, sso: 0 })
  }
  assert.is(usersNamed('Out').length, 0)
})

test('a link of somebody who is no admin any more admits nobody', async () => {
  const maker = app.user('Mia', 'admin')
  const { id } = (await maker.post('/v1/orgs/acme/link-invites', { role: 'admin' })).body
  updateMember(ctx.store, 'acme', maker.id, { role: 'read' })
  const browser = new Browser(app.url)
  assert.is((await browser.get(`/join/${id}`)).status, 404)
  assert.is((await browser.post(`/join/${id}`, { displayName: 'Eve' })).status, 404)
})

test('a disabled or removed member cannot come back with their account', async () => {
  const path = await invite()
  const dis = app.user('Dis', 'read')
  updateMember(ctx.store, 'acme', dis.id, { disabled: 1 })
  const one = await signedIn(dis.token)
  assert.is((await one.get(path)).status, 403)

  const rem = app.user('Rem', 'read')
  const two = await signedIn(rem.token)
  await admin.delete(`/v1/orgs/acme/members/${rem.id}`)
  assert.is(findMembership(ctx.store, 'acme', rem.id), undefined)
  const { text } = await two.get(path)
  await two.post(path, { csrf: csrfOf(text) })
  assert.is(findMembership(ctx.store, 'acme', rem.id), undefined)
})

test('a token that may not join cannot join in a browser either', async () => {
  const path = await invite()
  const user = app.user('Tok')
  for (const wish of [{ scopes: ['read'] }, { scopes: ['content:write'] }]) {
    const made = createToken(ctx.store, { userId: user.id, name: 'x', ...wish }, ctx.now())
    const browser = await signedIn(made.secret)
    assert.is((await browser.get(path)).status, 403)
    const csrf = await browser.csrf()
    assert.is((await browser.post(path, { csrf })).status, 403)
  }
  assert.is(findMembership(ctx.store, 'acme', user.id), undefined)
})

test('forged forms join nobody', async () => {
  const path = await invite()
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }]) {
    const { status } = await new Browser(app.url).post(path, { displayName: 'Forged' }, headers)
    assert.is(status, 403)
  }
  const user = app.user('Vic')
  const browser = await signedIn(user.token)
  for (const csrf of ['', 'x', 'é'])
    assert.is((await browser.post(path, { csrf, displayName: 'Forged' })).status, 403)
  assert.is(findMembership(ctx.store, 'acme', user.id), undefined)
  assert.is(usersNamed('Forged').length, 0)
})

test('a form of a sign-in that has ended shows the invitation again', async () => {
  const path = await invite()
  const user = app.user('End')
  const browser = await signedIn(user.token)
  const csrf = csrfOf((await browser.get(path)).text)
  const { text, status } = await browser.post(path, { csrf }, { cookie: '' })
  assert.is(status, 200)
  assert.match(text, /Join as a new user/)
  assert.match(text, new RegExp(`sign-in\\?return_to=%2Fjoin%2F${path.slice(6)}"`))
})

test('names with markup, empty and long ones are refused with a sentence; titles are escaped', async () => {
  updateOrganization(ctx.store, 'acme', { title: '<img src=x onerror=alert(1)>' })
  const path = await invite()
  const browser = new Browser(app.url)
  for (const name of ['', ' ', '<script>x</script>', 'x'.repeat(65), 'a\nb', 'A\u202eda']) {
    const { status, text } = await browser.post(path, { displayName: name })
    assert.is(status, 400, name)
    assert.match(text, /Your name: /)
    assert.not.match(text, /<script>|<img/)
  }
  updateOrganization(ctx.store, 'acme', { title: 'Acme' })
})

test('other paths below /join are those of a site', async () => {
  for (const path of ['/join', '/join/', '/join/us', `/join/${'x'.repeat(21)}`]) {
    const { text } = await new Browser(app.url).get(path)
    assert.not.match(text, /invitation/)
  }
})

test('on the host of a site, the path is one of the site', async () => {
  const path = await invite()
  const { text } = await new Browser(app.url).get(path, { host: 'docs.example.org' })
  assert.not.match(text, /Join Acme/)
})

test('an address that guesses is refused', async () => {
  const strict = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '5' })
  try {
    await withStoppedClock(async () => {
      const browser = new Browser(strict.url)
      const statuses: number[] = []
      for (let tries = 0; tries < 7; tries++)
        statuses.push((await browser.get(`/join/${String(tries).repeat(20)}`)).status)
      assert.equal(statuses, [404, 404, 404, 404, 404, 429, 429])
    })
  } finally {
    await strict.stop()
  }
})

test.run()
