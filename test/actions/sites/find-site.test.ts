import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { siteBase } from '../../../src/actions/sites/addresses.ts'
import { findSiteAt, isKnownPort } from '../../../src/actions/sites/find-site.ts'
import { parseAddress } from '../../../src/content/site/address.ts'
import type { Context } from '../../../src/context.ts'
import { findOrganization, updateOrganization } from '../../../src/store/people/organizations.ts'
import { putAlias } from '../../../src/store/sites/aliases.ts'
import { findSite, updateSite } from '../../../src/store/sites/sites.ts'
import type { OrganizationRow, SiteRow } from '../../../src/store/tables/rows.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp({ STEMMA_PUBLIC_URL: 'https://api.example.org/stemma' })
test.after(() => app.stop())

const { id } = (await app.admin.post('/v1/orgs/acme/sites', { title: 'Docs' })).body
updateOrganization(app.ctx.store, 'acme', { hostname: 'acme-inc' })

const withSites = (sitesUrl: string | undefined): Context => ({
  ...app.ctx,
  config: { ...app.ctx.config, sitesUrl },
})

const contexts = {
  'below the public URL': withSites(undefined),
  'on one host': withSites('https://docs.example.org'),
  'on a host for each organization': withSites('https://{org}.docs.example.org:8443'),
}

const set = (columns: Partial<SiteRow>): SiteRow =>
  updateSite(app.ctx.store, id, columns) as SiteRow
const found = (ctx: Context, text: string) => findSiteAt(ctx, parseAddress(text))

for (const [name, ctx] of Object.entries(contexts))
  test(`sites ${name} are found at their base`, () => {
    for (const hostname of ['acme-inc', null]) {
      const organization = updateOrganization(app.ctx.store, 'acme', {
        hostname,
      }) as OrganizationRow
      for (const columns of [
        { proxy_origin: null, hostname: null },
        { hostname: 'docs.acme.example' },
        { proxy_origin: 'acme.example/help/docs' },
      ]) {
        const site = set(columns)
        const base = siteBase(ctx, site, organization)
        const at = found(ctx, `${base}some/page`)
        assert.equal([at?.site.id, at?.moved, at?.base], [id, false, base], base)
        assert.equal(parseAddress(`${base}some/page`).segments.slice(at?.length), ['some', 'page'])
        assert.ok(isKnownPort(ctx, parseAddress(base).port))
      }

      set({ proxy_origin: null, hostname: null })
    }
    updateOrganization(app.ctx.store, 'acme', { hostname: 'acme-inc' })
  })

test('an address at another base of the site leads to its base', () => {
  const ctx = contexts['on one host']
  for (const text of [
    'https://docs.example.org/acme/docs/',
    'https://docs.example.org/ACME-inc/Docs/',
    'https://api.example.org/stemma/sites/acme-inc/docs/',
    `http://api.example.org/stemma/~site/${id}`,
  ]) {
    const at = found(ctx, text)
    assert.equal(
      [at?.site.id, at?.moved, at?.base],
      [id, true, 'https://docs.example.org/acme-inc/docs/'],
      text,
    )
  }
})

test('a proxy target is the base of a site with a proxy', () => {
  set({ proxy_origin: 'acme.example/docs' })
  const at = found(app.ctx, `https://api.example.org/stemma/~site/${id}/x`)
  assert.equal([at?.moved, at?.length, at?.base], [false, 3, 'https://acme.example/docs/'])
  set({ proxy_origin: null })
})

test('a former basename leads to the site', () => {
  const place = { organizationId: 'acme', siteId: null, scope: 'organization' }
  putAlias(app.ctx.store, place, 'old', { kind: 'site', id }, '2026-01-01T00:00:00.000Z')
  const at = found(app.ctx, 'https://api.example.org/stemma/sites/acme-inc/OLD/page')
  assert.equal([at?.site.id, at?.moved], [id, true])
})

test('the address of an organization leads to its default site, unless the site has share links', () => {
  const { store } = app.ctx
  const root = 'https://api.example.org/stemma/sites/acme-inc'
  assert.is(found(app.ctx, root), undefined)
  updateOrganization(store, 'acme', { default_content: { type: 'site', site: id } })
  assert.equal([found(app.ctx, root)?.site.id, found(app.ctx, root)?.moved], [id, true])
  set({ visibility: 'share-link' })
  assert.is(found(app.ctx, root), undefined)
})

test('other hosts, ports and organizations lead to no site', () => {
  assert.ok(findOrganization(app.ctx.store, 'acme') && findSite(app.ctx.store, id))

  for (const text of [
    'https://evil.example/stemma/sites/acme-inc/docs/',
    'https://api.example.org/sites/acme-inc/docs/',
    'https://api.example.org:8443/stemma/sites/acme-inc/docs/',
    'https://api.example.org/stemma/sites/other/docs/',
    'https://api.example.org/stemma/sites/acme-inc/other/',
    'https://api.example.org/stemma/~site/other/',
  ])
    assert.is(found(app.ctx, text), undefined, text)

  assert.not(isKnownPort(app.ctx, '8443'))
})

test.run()
