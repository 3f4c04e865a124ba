import { decodeJwt, SignJWT } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReadingToken } from '../../../src/access/reading-token.ts'
import { countCall } from '../../../src/actions/sites/lookup-limits.ts'
import { putAlias } from '../../../src/store/sites/aliases.ts'
import { insertSection, updateSection } from '../../../src/store/sites/sections.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import { type Actor, actor, type Reply, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { previewOf, publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
test.after(() => app.stop())
const { store } = app.ctx
const at = '2026-01-01T00:00:00.000Z'

async function newSpace(title: string): Promise<string> {
  return (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id
}

/**
 * A published site with the sections "api" (site spaces "second", "first") and "guides" (site space
 * "guides").
 */
async function sectioned(set: Partial<SiteRow> = {}) {
  const spaces = [await newSpace('second'), await newSpace('first'), await newSpace('guides')]
  const site = await publishedSite(app, spaces)
  const ids = readStructure(store, site.id).siteSpaces.map(row => row.id)
  const sections = ['api', 'guides'].map((path, position) =>
    insertSection(store, {
      id: `${path}-${site.id}`,
      site_id: site.id,
      title: path,
      path,
      position,
      created_at: at,
    }),
  )
  const [api, guides] = sections.map(({ id }) => id) as [string, string]

  updateSiteSpace(store, ids[0] as string, { section_id: api })
  updateSiteSpace(store, ids[1] as string, { section_id: api })
  updateSiteSpace(store, ids[2] as string, { section_id: guides })
  updateSection(store, api, { default_site_space_id: ids[0] as string })
  updateSection(store, guides, { default_site_space_id: ids[2] as string })
  updateSite(store, site.id, { default_site_space_id: null, default_section_id: api, ...set })

  return {
    site,
    base: `${app.url}/sites/acme/${site.basename}/`,
    api,
    guides,
    ids: ids as [string, string, string],
    spaces,
  }
}

const resolve = (url: string, rest: object = {}, by: Actor = app.anonymous): Promise<Reply> =>
  by.post('/v1/urls/published', { url, ...rest })

/** What an address leads to, in short. */
async function leads(url: string, rest: object = {}, by?: Actor): Promise<unknown> {
  const { status, body } = await resolve(url, rest, by)
  if (status !== 200) return status
  return 'redirect' in body ? `→ ${body.redirect}` : `${body.basePath}|${body.pathname}`
}

const site = await sectioned()
const { pathname: path } = new URL(site.base)

test('content is resolved with its paths and a reading token', async () => {
  const { status, body, text } = await resolve(`${site.base}api/first/guide/intro?x=1`)
  assert.is(status, 200, text)
  const { apiToken, ...shown } = body
  assert.equal(shown, {
    site: site.site.id,
    siteSection: site.api,
    siteSpace: site.ids[1],
    space: site.spaces[1],
    organization: 'acme',
    siteBasePath: path,
    basePath: `${path}api/first/`,
    pathname: 'guide/intro',
    canonicalUrl: `${site.base}api/first/guide/intro`,
    complete: true,
  })
  assert.equal(openReadingToken(app.ctx, apiToken)?.spaces, site.spaces)
  assert.is((await resolve(`${site.base}api/first/guide/intro`)).body.apiToken, apiToken)
})

test('defaults have the short form, and the long form leads to it', async () => {
  assert.is(await leads(site.base), `${path}|`)
  assert.is(await leads(`${site.base}start`), `${path}|start`)
  assert.is(await leads(`${site.base}guides/`), `${path}guides/|`)
  assert.is(await leads(`${site.base}api/`), `→ ${site.base}`)
  assert.is(await leads(`${site.base}api/second/x?a=1#b`), `→ ${site.base}x?a=1#b`)
  assert.is(await leads(`${site.base}guides/guides/x`), `→ ${site.base}guides/x`)
})

test('untidy addresses and upper case lead to the canonical form', async () => {
  assert.is(await leads(`${site.base}API/First//Guide/`), `→ ${site.base}api/first/Guide`)
  assert.is(await leads(`${site.base}guides/./..//x`), `→ ${site.base}x`)
  assert.is(await leads(`${site.base.replace('/sites/', '/sites//')}x`), `→ ${site.base}x`)
  assert.is(await leads(`${site.base}%c3%a9t%C3%A9`), `${path}|été`)
})

test('unusable addresses are refused', async () => {
  const bad = [
    'x',
    'javascript:alert(1)',
    'https://docs.example.org@evil.example/',
    '//evil',
    '\\\\evil',
    'https://docs.example.org:8443/',
    `https://example.org/${'x'.repeat(5000)}`,
    'https://example.org/%25252e',
    'https://example.org/%',
  ]

  for (const url of bad) assert.is((await resolve(url)).status, 400, url)
  assert.is((await app.anonymous.post('/v1/urls/published', {})).status, 400)
})

test('addresses without content have one answer', async () => {
  const hidden = await sectioned({ published: 0 })
  const agents = await sectioned({ agents_context: 'excluded' })
  const keyed = await sectioned({ visibility: 'share-link' })
  const answers = [
    await resolve('https://evil.example/'),
    await resolve(`${app.url}/sites/acme/none/`),
    await resolve(`${app.url}/sites/none/`),
    await resolve(hidden.base),
    await resolve(agents.base, { visitor: { type: 'agent' } }),
    await app.anonymous.post(
      '/v1/urls/published',
      { url: agents.base },
      { 'user-agent': 'GPTBot/1.0' },
    ),
    await resolve(keyed.base),
    await resolve(`${keyed.base}aaaaaaaaaaaaaaaaaaaa/`),
    await resolve(`${site.base}~/changes/1/`),
    await resolve(`${site.base}~/revisions/${'a'.repeat(40)}/`),
  ]

  for (const { status, body } of answers)
    assert.equal([status, body.error.message], [404, 'No content found for this address.'])
  assert.is(await leads(agents.base), `${new URL(agents.base).pathname}|`)
})

test('former paths lead to the present ones, and never win over a path or a page that exists', async () => {
  const { site: row, base, api, guides, ids, spaces } = await sectioned()
  const alias = (scope: string, path: string, kind: 'site-section' | 'site-space', id: string) =>
    putAlias(store, { organizationId: 'acme', siteId: row.id, scope }, path, { kind, id }, at)
  alias('', 'reference', 'site-section', api)
  alias('', 'tutorials', 'site-section', guides)
  alias('', 'old', 'site-space', ids[1])
  alias(api, 'beta', 'site-space', ids[1])
  alias('', 'gone', 'site-section', 'nothing')
  assert.is(await leads(`${base}reference/page?q`), `→ ${base}page?q`)
  assert.is(await leads(`${base}Reference/first/page`), `→ ${base}api/first/page`)
  assert.is(await leads(`${base}reference/beta/page`), `→ ${base}api/first/page`)
  assert.is(await leads(`${base}api/beta`), `→ ${base}api/first/`)
  assert.is(await leads(`${base}old/page`), `→ ${base}api/first/page`)
  assert.is(await leads(`${base}gone/page`), `${new URL(base).pathname}|gone/page`)
  assert.is(await leads(`${base}tutorials`), `→ ${base}guides/`)
  const page = { operation: 'insert_page', title: 'Tutorials', document: { markdown: 'Here.' } }
  const changed = await app.admin.post(`/v1/spaces/${spaces[0]}/content`, { changes: [page] })

  assert.is(changed.status, 200, changed.text)
  assert.is(await leads(`${base}tutorials`), `${new URL(base).pathname}|tutorials`)
})

test('a share link admits to its own site, with the key in every path', async () => {
  const { site: row, base } = await sectioned({ visibility: 'share-link' })
  const links = `/v1/orgs/acme/sites/${row.id}/share-links`
  const { id, urls } = (await app.admin.post(links, { name: 'x' })).body
  const keyed = urls.published as string
  const { body } = await resolve(`${keyed}guides/page`)
  const key = keyed.split('/').at(-2) as string

  assert.equal(
    [body.shareKey, body.siteBasePath, body.canonicalUrl],
    [key, new URL(keyed).pathname, `${keyed}guides/page`],
  )
  assert.is(openReadingToken(app.ctx, body.apiToken)?.l, id)
  assert.is(await leads(`${keyed}API/`), `→ ${keyed}`)
  const reader = actor(app.url, '', body.apiToken)

  assert.is((await reader.get(`/v1/spaces/${body.space}`)).status, 200)
  await app.admin.patch(`${links}/${id}`, { active: false })
  assert.is((await reader.get(`/v1/spaces/${body.space}`)).status, 401)
  assert.is(await leads(keyed), 404)
  await app.admin.patch(`${links}/${id}`, { active: true })
  assert.is(await leads(keyed.replace(base, site.base)), `${path}|${key}`)
  updateSite(store, row.id, { visibility: 'public' })
  assert.is(await leads(keyed), 404)
})

async function withLogin(fallbackURL?: string) {
  const made = await sectioned({ visibility: 'visitor-auth' })
  const auth = `/v1/orgs/acme/sites/${made.site.id}/publishing/auth`
  const { privateKey } = (await app.admin.patch(auth, { fallbackURL: fallbackURL ?? null })).body
  const sign = (claims: Record<string, unknown> = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(privateKey))

  return { ...made, auth, sign }
}

test('visitors sign in with a token, or are sent to the fallback address', async () => {
  const { base, sign } = await withLogin()
  const jwtToken = await sign()
  assert.is(
    await leads(`${base}guides/x`, { visitor: { jwtToken } }),
    `${new URL(base).pathname}guides/|x`,
  )

  assert.equal(
    [
      await leads(base),
      await leads(base, { visitor: { jwtToken: '' } }),
      await leads(base, { visitor: { jwtToken: `${jwtToken}x` }, redirectOnError: true }),
    ],
    [401, 401, 401],
  )
  const other = await withLogin('https://login.example.org/in?app=docs')
  const login = '→ https://login.example.org/in?app=docs&location=guides%2Fx'
  const url = `${other.base}guides/x`
  const bad = { visitor: { jwtToken } }

  assert.equal(
    [await leads(url), await leads(url, bad), await leads(url, { ...bad, redirectOnError: true })],
    [login, 401, login],
  )
  assert.is((await resolve(url)).body.target, 'external')
  const query = `url=${encodeURIComponent(url)}&visitorAuthToken=${await other.sign()}&redirectOnError=true`

  assert.is((await app.anonymous.get(`/v1/urls/published?${query}`)).body.pathname, 'x')
})

const jsonSchema = {
  type: 'object',
  properties: {
    beta: { type: 'boolean', description: 'Beta' },
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { lang: { type: 'string', description: 'Language' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

test('conditions hide sections and site spaces, and their addresses', async () => {
  const { site: row, base, ids, guides, sign, spaces } = await withLogin()
  updateSite(store, row.id, { visibility: 'public', adaptive: 1 })
  await app.admin.put(`/v1/orgs/acme/sites/${row.id}/adaptive-schema`, { jsonSchema })
  updateSection(store, guides, { condition: 'visitor.claims.beta' })
  updateSiteSpace(store, ids[0], { condition: 'visitor.claims.unsigned.lang === "de"' })
  assert.is(await leads(`${base}guides/x`), 404)
  assert.is(await leads(base), `→ ${base}api/first/`)
  assert.is(await leads(`${base}api/second/`), 404)
  assert.is(await leads(`${base}x`), `→ ${base}api/first/x`)
  const visitor = {
    jwtToken: await sign({ beta: true, unsigned: { lang: 'de' } }),
    unsignedClaims: { lang: 'de', x: 1 },
  }
  const { body } = await resolve(`${base}guides/x`, { visitor })

  assert.is(body.pathname, 'x')
  assert.match(body.contextId, /^\w+$/)
  const token = openReadingToken(app.ctx, body.apiToken)

  assert.equal([token?.claims, token?.spaces], [{ beta: true, unsigned: { lang: 'de' } }, spaces])
  assert.is(
    await leads(base, { visitor: { unsignedClaims: { lang: 'de' } } }),
    `${new URL(base).pathname}|`,
  )

  // An unusable token counts as none where visitors need not sign in.
  assert.is(
    await leads(`${base}guides/x`, { visitor: { jwtToken: 'x', unsignedClaims: { beta: true } } }),
    404,
  )
  updateSite(store, row.id, { adaptive: 0 })
  assert.is(await leads(`${base}guides/x`, { visitor }), 404)
})

test('a site without a space that the visitor sees has no content', async () => {
  const { site: row, base, ids } = await sectioned()
  for (const id of ids) updateSiteSpace(store, id, { condition: 'visitor.claims.beta' })
  assert.is(await leads(base), 404)
  const empty = await publishedSite(app, [])
  assert.is(await leads(`${app.url}/sites/acme/${empty.basename}/`), 404)
  assert.ok(row)
})

test('a reading token ends with the visitor token that admitted its reader', async () => {
  const { space } = await makeSpace(app, { 'README.md': '# Home\n' })
  const row = await publishedSite(app, [space.id], { visibility: 'visitor-auth' })
  const auth = await app.admin.get(`/v1/orgs/acme/sites/${row.id}/publishing/auth`)
  const exp = Math.floor(Date.now() / 1000) + 60
  const jwtToken = await new SignJWT({ exp })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(auth.body.privateKey))
  const url = `${app.url}/sites/acme/${row.basename}/`
  const { status, body } = await app.anonymous.post('/v1/urls/published', {
    url,
    visitor: { jwtToken },
  })

  assert.equal([status, decodeJwt(body.apiToken).exp], [200, exp + 5])
})

test('calls without a token and with a reading token are limited to 600 a minute, those of users are not', async () => {
  const own = await startApp({ STEMMA_TRUST_PROXY: 'loopback' })
  try {
    const call = (by: Actor, address: string) =>
      by.post(
        '/v1/urls/published',
        { url: `${own.url}/sites/x/y/` },
        { 'x-forwarded-for': address },
      )
    const fill = () => {
      for (let n = 0; n < 700; n++) countCall(own.ctx, '192.0.2.1')
    }
    const { space } = await makeSpace(own, { 'README.md': '# Home\n' })
    const { id } = await publishedSite(own, [space.id])
    const [reader, previewer] = [{}, { preview: previewOf(own, own.admin) }].map(reading =>
      readerOf(own, id, reading),
    )

    await withStoppedClock(async () => {
      assert.throws(fill, /Too many addresses/)
      for (const by of [own.anonymous, reader!, previewer!])
        assert.is((await call(by, '192.0.2.1')).status, 429)
      for (const by of [own.anonymous, reader!])
        assert.is((await call(by, '192.0.2.2')).status, 404)
      assert.is((await call(own.admin, '192.0.2.1')).status, 404)
    })
  } finally {
    await own.stop()
  }
})

test.run()
