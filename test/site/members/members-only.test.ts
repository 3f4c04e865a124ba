import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findSite } from '../../../src/store/sites/sites.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import { Browser } from '../../support/http/browser.ts'
import { readingToken } from '../../support/sites.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'
import { makeAdaptive } from '../visitors.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Handbook\n\nSee [the file](.gitbook/assets/a.txt).\n',
  'SUMMARY.md': '# Table of contents\n\n* [Handbook](README.md)\n* [Leave](leave.md)\n',
  'leave.md': '# Leave\n\nHolidayword text.\n',
  '.gitbook/assets/a.txt': 'Words of the file.\n',
}
const html = { accept: 'text/html' }
const sites = '/v1/orgs/acme/sites'

const site = await insertPublicSite(app, files)
const { base } = site
const path = `${sites}/${site.site}`
const earlier = readingToken(app, site.site)
const file = / href="([^"]*~stemma\/files[^"]*)"/.exec((await openPage(app, base)).text)?.[1] ?? ''

const closed = await admin.patch(path, { membersOnly: true })

const guest = app.user('Gus', null)
const granted = await admin.post(`/v1/spaces/${site.space}/permissions`, {
  users: [guest.id],
  role: 'read',
})
assert.ok(granted.status < 300, granted.text)

async function signedIn(token: string): Promise<{ cookie: string }> {
  const browser = new Browser(app.url)
  assert.is((await browser.signIn(token)).status, 303)
  return { cookie: browser.cookie }
}

const member = await signedIn(app.user('Mia', 'read').token)
const outsider = await signedIn(app.user('Stan').token)
const ofGuest = await signedIn(guest.token)

const places = [
  base,
  `${base}leave`,
  `${base}~gitbook/search?q=holidayword`,
  `${base}~gitbook/mcp`,
  `${base}~gitbook/icon`,
  file,
]

test('the answer names the audience, and the closest visibility that other clients know', async () => {
  assert.equal(
    [closed.status, closed.body.visibility, closed.body.membersOnly],
    [200, 'visitor-auth', true],
  )
  const [listed] = (await admin.get(`${sites}?space=${site.space}`)).body.items
  assert.equal([listed.visibility, listed.membersOnly], ['visitor-auth', true])
})

test('members and guests with a role on a space read all of the site', async () => {
  for (const place of places)
    for (const headers of [member, ofGuest]) {
      const { status, headers: sent } = await openPage(app, place, { ...html, ...headers })
      assert.is(status, 200, place)
      assert.match(sent.get('cache-control') ?? '', 'private', place)
      assert.is(sent.get('x-robots-tag'), 'noindex', place)
    }

  const page = await openPage(app, `${base}leave`, { ...html, ...member })
  assert.match(page.text, 'Holidayword')
  assert.match(page.text, 'class="toolbar"')
  assert.not.match(page.text, 'Preview: readers')
})

test('what is not for them is the same for others as an address that leads nowhere', async () => {
  const nowhere = '/sites/acme/no-such-site/'
  const shape = ({ status, text }: { status: number; text: string }, asked: string) => [
    status,
    text.replace(/return_to=[^"]*/, 'return_to=').replace(`GET ${asked.split('?')[0]}.`, 'GET …'),
  ]

  for (const place of [...places, `${base}robots.txt`, `${base}llms.txt`, `${base}sitemap.xml`])
    for (const headers of [{}, html, outsider, { ...html, ...outsider }]) {
      const [here, there] = [
        await openPage(app, place, headers),
        await openPage(app, nowhere, headers),
      ]
      assert.equal(shape(here, place), shape(there, nowhere), `${place} ${JSON.stringify(headers)}`)
      assert.not.match(here.text, 'Holidayword')
    }
})

test('a browser that is not signed in is asked to, and comes back to the page', async () => {
  const { status, text, headers } = await openPage(app, `${base}leave?x=1`, html)
  assert.is(status, 401)
  assert.match(text, 'Sign in to read this')
  assert.is(headers.get('cache-control'), 'no-store')
  const to = `${app.url}/sso/sign-in?${new URLSearchParams({ return_to: `${base}leave?x=1` })}`
  assert.match(text, `href="${to}"`)
  assert.is((await openPage(app, `${base}leave`, { ...html, ...outsider })).status, 404)
  const german = await openPage(app, `${base}leave`, { ...html, 'accept-language': 'de' })
  assert.match(german.text, 'Melden Sie sich an, um dies zu lesen')
  assert.is((await openPage(app, '/no-such-page', html)).status, 404)
})

test('visitor tokens and earlier reading tokens do not open the site', async () => {
  const sign = await makeAdaptive(app, site.site)
  const token = await sign({ beta: true })
  assert.is((await openPage(app, `${base}leave?jwt_token=${token}`, html)).status, 401)
  const resolved = await app.user('Pat').post('/v1/urls/published', {
    url: `${app.url}${base}leave`,
    visitor: { jwtToken: token },
  })
  assert.is(resolved.status, 404)
  const now = readingToken(app, site.site)

  for (const reading of [earlier, now]) {
    const headers = { authorization: `Bearer ${reading}` }
    const { status } = await openPage(app, `/v1/spaces/${site.space}/content`, headers)
    assert.is(status, 401)
  }
})

test('a program resolves the address with the token of a member, and reads with the answer', async () => {
  const url = `${app.url}${base}leave`
  const resolved = await app.user('Nora', 'read').post('/v1/urls/published', { url })
  assert.equal([resolved.status, resolved.body.space], [200, site.space])
  const headers = { authorization: `Bearer ${resolved.body.apiToken}` }
  const content = `/v1/spaces/${site.space}/content/path/leave`
  assert.is((await openPage(app, content, headers)).status, 200)
  assert.is((await app.user('Olga').post('/v1/urls/published', { url })).status, 404)
})

test('the list of sites names it to members alone', async () => {
  const card = new RegExp(`href="${base}"`)
  assert.match((await openPage(app, '/', { ...html, ...member })).text, card)
  for (const headers of [html, { ...html, ...outsider }])
    assert.not.match((await openPage(app, '/', headers)).text, card)
})

test('a page for a member is not kept for others', async () => {
  await openPage(app, `${base}leave`, { ...html, ...member })
  assert.is((await openPage(app, `${base}leave`, html)).status, 401)
})

test('an unpublished site opens for those who may read its spaces, and for no others', async () => {
  const other = await insertPublicSite(app, files, { published: 0 })
  const preview = `/~preview/${other.site}/leave`
  assert.match((await openPage(app, preview, { ...html, ...member })).text, 'Preview: readers')
  assert.is((await openPage(app, preview, { ...html, ...outsider })).status, 404)
  assert.is((await openPage(app, preview, { ...html, ...ofGuest })).status, 404)
  const stranger = await openPage(app, preview, html)
  assert.is(stranger.status, 401)
  assert.match(stranger.text, 'Sign in to read this')
})

test('on a host of its own, the sign-in leads to the sites of the member', async () => {
  const other = await insertPublicSite(app, files, { hostname: 'in.example.org' })
  await admin.patch(`${sites}/${other.site}`, { membersOnly: true })
  const opened = await openPage(app, '/leave', { ...html, host: 'in.example.org' })
  assert.is(opened.status, 401)
  assert.match(opened.text, `href="${app.url}/sso/sign-in?return_to=%2F"`)
  const own = await openPage(app, '/', { ...html, ...member })
  assert.match(own.text, `href="/~preview/${other.site}/"`)
  const page = await openPage(app, `/~preview/${other.site}/leave`, { ...html, ...member })
  assert.match(page.text, 'Holidayword')
})

test('a client that sends the visibility back changes nothing, another one ends the audience', async () => {
  const row = () => findSite(ctx.store, site.site) as SiteRow
  const same = await admin.patch(path, { visibility: 'visitor-auth' })
  assert.is(same.body.membersOnly, true)
  const both = await admin.patch(path, { visibility: 'public', membersOnly: true })
  assert.is(both.status, 400)
  assert.match(both.body.error.message, 'Leave "visibility" out')
  const open = await admin.patch(path, { visibility: 'public' })
  assert.equal([open.body.visibility, open.body.membersOnly], ['public', false])
  assert.is(row().members_only, 0)
  assert.is((await openPage(app, `${base}leave`, html)).status, 200)
  const made = await admin.post(sites, { title: 'Inside', membersOnly: true })
  assert.equal([made.status, made.body.membersOnly], [201, true])
  const visitors = await admin.patch(`${sites}/${made.body.id}`, { membersOnly: false })
  assert.equal([visitors.body.visibility, visitors.body.membersOnly], ['visitor-auth', false])
})

test.run()
