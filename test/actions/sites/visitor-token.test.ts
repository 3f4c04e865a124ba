import { createHmac } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readVisitorToken } from '../../../src/actions/sites/visitor-token.ts'
import { findSite } from '../../../src/store/sites/sites.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

async function newSite(title: string): Promise<{ site: SiteRow; key: string }> {
  const { id } = (await app.admin.post(sites, { title })).body
  const { privateKey } = (await app.admin.get(`${sites}/${id}/publishing/auth`)).body
  return { site: findSite(app.ctx.store, id) as SiteRow, key: privateKey }
}

const { site, key } = await newSite('One')

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Signs like backends that know nothing of jose; the hash follows the header. */
function sign(payload: unknown, header: Record<string, unknown> = {}, secret = key): string {
  const alg = String(header.alg ?? 'HS256')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(payload)}`
  const hash = alg === 'HS512' ? 'sha512' : 'sha256'
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

const now = (): number => Math.floor(Date.now() / 1000)

async function isAdmitted(token: string, on = site): Promise<boolean> {
  return 'claims' in (await readVisitorToken(app.ctx, on, token))
}

test('a token signed with the text of the key has its claims', async () => {
  const exp = now() + 3600
  const read = await readVisitorToken(app.ctx, site, sign({ exp, plan: 'pro', sub: 'x', aud: 'y' }))
  assert.equal(read, { claims: { exp, plan: 'pro', sub: 'x', aud: 'y' }, until: (exp + 5) * 1000 })
})

test('other algorithms and headers with demands are refused', async () => {
  const exp = now() + 60
  const none = `${encode({ alg: 'none' })}.${encode({ exp })}.`
  const refused = [
    none,
    sign({ exp }, { alg: 'HS512' }),
    sign({ exp }, { alg: 'RS256' }),
    sign({ exp }, { alg: 'hs256' }),
    sign({ exp }, { crit: ['x'], x: 1 }),
    sign({ exp }, { crit: ['b64'], b64: false }),
  ]

  for (const token of refused) assert.not(await isAdmitted(token), token)
  const ignored = { kid: '../../x', jku: 'https://evil.example/', x5u: 'https://evil.example/' }

  assert.ok(await isAdmitted(sign({ exp }, ignored)))
})

test('times are checked with a tolerance of 5 seconds', async () => {
  const week = 7 * 24 * 3600
  const cases: [Record<string, unknown>, boolean][] = [
    [{}, false],
    [{ exp: String(now() + 60) }, false],
    [{ exp: now() + 8 * 24 * 3600 }, false],
    [{ exp: now() + week }, true],
    [{ exp: now() - 3 }, true],
    [{ exp: now() - 60 }, false],
    [{ exp: now() + 600, nbf: now() + 60 }, false],
    [{ exp: now() + 600, iat: now() + 60 }, false],
    [{ exp: now() + 600, iat: now() + 2, nbf: now() + 2 }, true],
    [{ exp: now() + 600, iat: 'today' }, false],
  ]

  for (const [payload, admitted] of cases)
    assert.is(await isAdmitted(sign(payload)), admitted, JSON.stringify(payload))
})

test('malformed and long tokens are refused', async () => {
  const exp = now() + 60
  const good = sign({ exp })
  const refused = [
    '',
    'x',
    '..',
    `${good}.x.y`,
    sign('not json'),
    sign([exp]),
    sign({ exp, text: 'x'.repeat(9000) }),
    good.slice(0, -2),
    `${encode('null')}.${encode({ exp })}.x`,
  ]

  for (const token of refused) assert.not(await isAdmitted(token), token.slice(0, 80))
})

test('claims nested 1,000 deep and named like prototypes are read without harm', async () => {
  const deep = `{"exp":${now() + 60},"__proto__":{"admin":true},"a":${'['.repeat(1000)}${']'.repeat(1000)}}`
  assert.ok(await isAdmitted(sign(deep)))
  assert.is(({} as { admin?: boolean }).admin, undefined)
})

test('a token belongs to one site and one key', async () => {
  const other = await newSite('Two')
  const token = sign({ exp: now() + 60 })
  assert.not(await isAdmitted(token, other.site))
  assert.ok(await isAdmitted(token))
  await app.admin.post(`${sites}/${site.id}/publishing/auth/regenerate`)
  assert.not(await isAdmitted(token))
})

test.run()
