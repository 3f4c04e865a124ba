import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { unsignedClaims } from '../../src/site/readers/unsigned-claims.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { withStoppedClock } from '../support/http/stopped-clock.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, makeAdaptive } from './visitors.ts'

const app = await siteApp({ STEMMA_TRUST_PROXY: '1' })
const { ctx } = app
test.after(() => app.stop())

const files = {
  'README.md':
    '# Home\n\n{% if visitor.claims.unsigned.plan === "pro" %}\nProword.\n{% endif %}\n\n{% if visitor.claims.beta === true %}\nBetaword.\n{% endif %}\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Pro](pro.md)\n',
  'pro.md': '---\nif: visitor.claims.unsigned.plan === "pro"\n---\n\n# Pro\n\nPropage.\n',
}

const read = (headers: Record<string, string>, query = '') =>
  unsignedClaims({ headers, originalUrl: `/docs${query}` })

test('cookies and parameters state claims, and parameters win', () => {
  const cookie = `a=1; gitbook-visitor-public=${encodeURIComponent('{"plan":"free","n":1}')}; gitbook-visitor-public-x={"m":[2]}`
  assert.equal(read({ cookie }), { plan: 'free', n: 1, m: [2] })
  assert.equal(read({ cookie }, '?visitor.plan=pro&visitor.n=2'), { plan: 'pro', n: 2, m: [2] })
  assert.equal(
    read(
      {},
      '?visitor.a.b=true&visitor.a.c=x&visitor.d=null&visitor.e=%7B%22f%22%3A1%7D&visitor.g=[1&other=1',
    ),
    { a: { b: true, c: 'x' }, d: null, e: { f: 1 }, g: '[1' },
  )
  assert.is(read({}), undefined)
})

test('what is too long, too deep or no claim is left out', () => {
  assert.is(read({ cookie: 'gitbook-visitor-public={' }), undefined)
  assert.is(read({ cookie: 'gitbook-visitor-public=[1]' }), undefined)
  assert.is(
    read({ cookie: `gitbook-visitor-public=${JSON.stringify({ a: 'x'.repeat(9_000) })}` }),
    undefined,
  )
  assert.is(read({}, `?visitor.${'a.'.repeat(1000)}b=1`), undefined)
  assert.is(
    read({}, '?visitor.__proto__.polluted=1&visitor.constructor.x=1&visitor.a.prototype=1'),
    undefined,
  )
  assert.is(({} as { polluted?: unknown }).polluted, undefined)
  const many = Array.from({ length: 80 }, (_, at) => `visitor.a${at}=1`).join('&')

  assert.is(Object.keys(read({}, `?${many}`) ?? {}).length, 50)
})

test('an adaptive site shows what unsigned claims ask for, and keeps no answer for others', async () => {
  const { base, site } = await insertPublicSite(app, files)
  await makeAdaptive(app, site)
  const cookie = 'gitbook-visitor-public=%7B%22plan%22%3A%22pro%22%7D'
  const shown = await openPage(app, base, { cookie })

  assert.match(shown.text, 'Proword.')
  assert.match(shown.headers.get('cache-control') ?? '', 'private')
  assert.match(shown.headers.get('vary') ?? '', 'Cookie')
  assert.not.match((await openPage(app, base)).text, /Proword|>Pro</)
  assert.match((await openPage(app, `${base}?visitor.plan=pro`)).text, 'Proword.')
  assert.not.match((await openPage(app, `${base}?visitor.plan=free`)).text, 'Proword.')
  assert.is((await openPage(app, `${base}pro`)).status, 404)
  assert.is((await openPage(app, `${base}pro`, { cookie })).status, 200)
})

test('no unsigned claim counts as a signed one, and none counts while content is not adaptive', async () => {
  const { base, site } = await insertPublicSite(app, files)
  await makeAdaptive(app, site)
  assert.not.match((await openPage(app, `${base}?visitor.beta=true`)).text, 'Betaword.')
  const cookie = 'gitbook-visitor-public={"beta":true,"unsigned":{"plan":"pro"}}'

  assert.not.match((await openPage(app, base, { cookie })).text, /Betaword|Proword/)
  updateSite(ctx.store, site, { adaptive: 0 })
  const plain = await openPage(app, `${base}?visitor.plan=pro`)

  assert.not.match(plain.text, 'Proword.')
  assert.match(plain.headers.get('cache-control') ?? '', 'public')
})

test('unsigned claims admit nobody to a site for visitors, and the token of a company cookie does', async () => {
  const made = await insertPublicSite(app, files)
  const sign = await makeAdaptive(app, made.site)
  const token = await sign({ beta: true })
  const cookie = `gitbook-visitor-token=${token}`

  assert.match((await openPage(app, made.base, { cookie })).text, 'Betaword.')
  await changeAudience(app, made, 'visitor-auth')
  const accept = 'text/html'

  assert.is((await openPage(app, `${made.base}?visitor.plan=pro`, { accept })).status, 401)
  assert.match((await openPage(app, made.base, { accept, cookie })).text, 'Betaword.')

  for (const bad of ['x', `${token}x`, token.slice(0, -4), ''])
    assert.is(
      (await openPage(app, made.base, { accept, cookie: `gitbook-visitor-token=${bad}` })).status,
      401,
    )

  const other = await insertPublicSite(app, files, { visibility: 'visitor-auth' })

  await makeAdaptive(app, other.site)
  updateSite(ctx.store, other.site, { visibility: 'visitor-auth' })
  assert.is((await openPage(app, other.base, { accept, cookie })).status, 401)
})

test('one client cannot make the server prepare content for any number of claims', async () => {
  const { base, site } = await insertPublicSite(app, files)
  await makeAdaptive(app, site)
  const from = { 'x-forwarded-for': '203.0.113.77' }
  let status = 200

  await withStoppedClock(async () => {
    for (let at = 0; at < 300 && status === 200; at++)
      status = (await openPage(app, `${base}?visitor.plan=p${at}`, from)).status
    assert.is(status, 429)
    assert.is((await openPage(app, `${base}?visitor.plan=p0`, from)).status, 200)
    assert.is((await openPage(app, base, from)).status, 200)
    assert.is((await openPage(app, `${base}?visitor.plan=p99`)).status, 200)
  })
})

test('scripts of a page read the claims that are in force, and no others', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const none = { visitor: { claims: { unsigned: {} } } }
  const ask = async (query = '', cookie = '') => {
    const { status, headers, text } = await openPage(app, `${base}~gitbook/visitor${query}`, {
      cookie,
    })
    assert.equal(
      [status, headers.get('content-type'), headers.get('cache-control')],
      [200, 'application/json; charset=utf-8', 'private, no-store'],
    )
    return JSON.parse(text)
  }

  assert.equal(await ask('?visitor.plan=pro'), none)
  const sign = await makeAdaptive(app, site)

  assert.equal(await ask('?visitor.plan=pro&visitor.other=1'), {
    visitor: { claims: { unsigned: { plan: 'pro' } } },
  })
  const cookie = await cookieOf(app, base, await sign({ beta: true, secret: 'x' }))

  assert.equal(await ask('', cookie), { visitor: { claims: { beta: true, unsigned: {} } } })
  assert.equal(await ask(), none)
  assert.is((await openPage(app, `${base}~gitbook/visitor/x`)).status, 404)
  await changeAudience(app, { site, base }, 'visitor-auth')
  assert.is((await openPage(app, `${base}~gitbook/visitor`)).status, 401)
})

test.run()
