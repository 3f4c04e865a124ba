import { SignJWT } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSite } from '../../src/store/sites/sites.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md':
    '# Home\n\nWelcome.\n\n{% if visitor.claims.beta === true %}\nBeta words.\n{% endif %}\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Beta](beta.md)\n* [Open](open.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nHiddenword text.\n',
  'open.md': '# Open\n\nOpenword text.\n',
}
const path = (site: string) => `/v1/orgs/acme/sites/${site}`

test('an unlisted site is read without a token, and no search engine lists it', async () => {
  const { base } = await insertPublicSite(app, files, { visibility: 'unlisted' })
  const page = await openPage(app, `${base}open`)
  assert.is(page.status, 200)
  assert.is(page.headers.get('x-robots-tag'), 'noindex')
  assert.match((await openPage(app, `${base}robots.txt`)).text, `Disallow: ${base}\n`)
  assert.is((await openPage(app, `${base}sitemap.xml`)).status, 404)
  assert.is((await openPage(app, `${base}llms.txt`)).status, 200)
})

test('a share link opens a site below its key, until it is deactivated', async () => {
  const { base, site } = await insertPublicSite(app, files, { visibility: 'share-link' })
  const link = (await admin.post(`${path(site)}/share-links`, { name: 'For you' })).body
  const key = new URL(link.urls.published).pathname.slice(base.length)
  const page = await openPage(app, `${base}${key}open`)

  assert.is(page.status, 200)
  assert.is(page.headers.get('cache-control'), 'private, no-store')
  assert.is(page.headers.get('referrer-policy'), 'no-referrer')
  for (const href of page.text.match(/href="\/sites[^"]*"/g) ?? [])
    assert.match(href, `${base}${key}`)
  assert.is((await openPage(app, `${base}${key}open`)).status, 200)
  assert.is((await openPage(app, `${base}open`)).status, 404)
  const id = link.id

  assert.is((await admin.patch(`${path(site)}/share-links/${id}`, { active: false })).status, 200)
  assert.is((await openPage(app, `${base}${key}open`)).status, 404)
})

/** Creates a site for visitors with a key; returns a function that signs visitor tokens. */
async function visitorSite(set: Parameters<typeof insertPublicSite>[2]) {
  const made = await insertPublicSite(app, files, set)
  const schema = {
    jsonSchema: {
      type: 'object',
      properties: { beta: { type: 'boolean', description: 'Takes part in the beta.' } },
      additionalProperties: false,
    },
  }
  const put = await admin.put(`${path(made.site)}/adaptive-schema`, schema)
  assert.is(put.status, 200, put.text)
  updateSite(ctx.store, made.site, { adaptive: 1 })
  const auth = (await admin.get(`${path(made.site)}/publishing/auth`)).body
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(auth.privateKey))

  return { ...made, sign }
}

test('visitors of a site sign in with a token in the address, and then with a cookie', async () => {
  const { base, site, sign } = await visitorSite({ visibility: 'visitor-auth' })
  const refused = await openPage(app, `${base}open`, { accept: 'text/html' })
  assert.is(refused.status, 401)
  const arrived = await openPage(app, `${base}open?jwt_token=${await sign({ beta: true })}&x=1`)

  assert.equal([arrived.status, arrived.headers.get('location')], [303, `${base}open?x=1`])
  const set = arrived.headers.get('set-cookie') ?? ''

  assert.match(set, `Path=${base}; HttpOnly; SameSite=Lax`)
  const cookie = set.split(';', 1)[0] ?? ''
  const page = await openPage(app, base, { cookie })

  assert.is(page.status, 200)
  assert.match(page.text, 'Beta words.')
  assert.match(page.headers.get('cache-control') ?? '', 'private')
  assert.is((await openPage(app, `${base}beta`, { cookie })).status, 200)
  const out = await openPage(app, `${base}~gitbook/auth/logout`, { cookie })

  assert.match(out.headers.get('set-cookie') ?? '', 'Max-Age=0')
  assert.is((await admin.post(`${path(site)}/publishing/auth/regenerate`)).status, 200)
  assert.is((await openPage(app, base, { cookie, accept: 'text/html' })).status, 401)
})

test('a visitor who has to sign in is told so in the language of the browser', async () => {
  const { base } = await visitorSite({ visibility: 'visitor-auth' })
  const open = (language: string, path = '') =>
    openPage(app, base + path, { accept: 'text/html', 'accept-language': language })
  for (const [language, lang, title] of [
    ['', 'en', 'Sign in to read this site'],
    ['xx, en-GB;q=0.9, de;q=0.8', 'en', 'Sign in to read this site'],
    ['de-AT, en;q=0.5', 'de', 'Melden Sie sich an'],
    ['en;q=0.2, nb-NO', 'no', 'Logg inn'],
    ['pt', 'pt-BR', 'Entre para ler'],
  ] as const) {
    const page = await open(language)
    assert.is(page.status, 401)
    assert.match(page.text, `<html lang="${lang}"`, language)
    assert.match(page.text, title, language)
    assert.not.match(page.text, /jwtToken|sso\/sign-in|All sites/)
  }

  assert.match((await open('fr', '?jwt_token=bad')).text, 'Connectez-vous')
  const json = await openPage(app, base, { accept: 'application/json' })

  assert.match(json.text, 'visitor.jwtToken')
})

test('nobody is signed in to be signed out again', async () => {
  const { base, site, sign } = await visitorSite({ visibility: 'visitor-auth' })
  const fallbackURL = 'https://login.example.org/docs'
  await admin.patch(`${path(site)}/publishing/auth`, { backend: 'custom', fallbackURL })

  for (const [address, location] of [
    ['~gitbook/auth/logout', ''],
    ['~gitbook/auth/login', ''],
    ['~gitbook/auth/login?location=open', 'open'],
    ['~gitbook/auth/login?location=/~gitbook/auth/logout', ''],
    ['~gitbook/auth/login?location=~gitbook/auth/login%3Flocation%3Dopen', ''],
    ['part/~gitbook/auth/logout', 'part'],
  ] as const) {
    const page = await openPage(app, base + address)
    assert.equal(
      [page.status, page.headers.get('location')],
      [307, `${fallbackURL}?location=${location}`],
    )
  }

  const arrived = await openPage(app, `${base}?jwt_token=${await sign({})}`)
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const signedIn = await openPage(app, `${base}~gitbook/auth/login?location=~gitbook/auth/logout`, {
    cookie,
  })

  assert.is(signedIn.headers.get('location'), `${fallbackURL}?location=`)
})

test('a bad token leads to the sign-in page of the company, where there is one', async () => {
  const { base, site } = await visitorSite({ visibility: 'visitor-auth' })
  const auth = await admin.patch(`${path(site)}/publishing/auth`, {
    backend: 'custom',
    fallbackURL: 'https://login.example.org/docs',
  })

  assert.is(auth.status, 200, auth.text)

  for (const query of ['', '?jwt_token=bad']) {
    const page = await openPage(app, `${base}open${query}`)
    assert.equal(
      [page.status, page.headers.get('location')],
      [307, 'https://login.example.org/docs?location=open'],
    )
  }
})

test('what a condition hides is in no answer for others, and shown to visitors with the claim', async () => {
  const { base, sign } = await visitorSite({ visibility: 'public' })
  const arrived = await openPage(app, `${base}?jwt_token=${await sign({ beta: true })}`)
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const addresses = [
    '',
    'open',
    'llms.txt',
    'llms-full.txt',
    'sitemap-pages.xml',
    '~gitbook/search?q=hiddenword',
    '~gitbook/search?q=hiddenwrd&part=1',
    'README.md',
    'bet',
  ]

  for (const address of addresses) {
    const { text } = await openPage(app, base + address)
    assert.not.match(text.replace(/hiddenwo?rd/g, ''), /Hiddenword|Beta words|>Beta</, address)
  }

  assert.is((await openPage(app, `${base}beta`)).status, 404)
  const shown = await openPage(app, base, { cookie })

  assert.match(shown.text, 'Beta words.')
  assert.not.match((await openPage(app, base)).text, 'Beta words.')
  assert.is((await openPage(app, `${base}beta.md`, { cookie })).status, 200)
})

test('the cookie of one site opens no other site', async () => {
  const [one, other] = [
    await visitorSite({ visibility: 'visitor-auth' }),
    await visitorSite({ visibility: 'visitor-auth' }),
  ]
  const arrived = await openPage(app, `${one.base}?jwt_token=${await one.sign({})}`)
  const [pair = ''] = (arrived.headers.get('set-cookie') ?? '').split(';', 1)
  const renamed = pair.replace(one.site, other.site)

  for (const cookie of [pair, renamed])
    assert.is((await openPage(app, other.base, { cookie, accept: 'text/html' })).status, 401)
})

test('another host than those of the server and its sites is answered 404', async () => {
  const { base } = await insertPublicSite(app, files)
  assert.is((await openPage(app, base, { host: 'evil.example' })).status, 404)
  assert.is((await openPage(app, base, { host: 'evil.example:8000' })).status, 404)
  const port = new URL(app.url).port
  assert.is((await openPage(app, base, { host: `localhost:${port}` })).status, 200)
})

test.run()
