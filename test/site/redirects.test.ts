import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertRedirect } from '../../src/store/sites/redirects.ts'
import type { RedirectDestination } from '../../src/store/tables/sites.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, cookieOf, makeAdaptive, sitePath } from './visitors.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Open](open.md)\n* [Beta](beta.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nHiddenword.\n',
  'open.md': '# Open\n\nText.\n',
  '.gitbook.yaml': 'redirects:\n  of-space: open.md\n',
}

function redirect(
  site: string,
  source: string,
  destination: RedirectDestination,
  more: { draft?: 1; capture_wildcard?: 1; permanent?: 1 } = {},
): void {
  const row = {
    id: `${site}${source}`,
    site_id: site,
    source,
    source_folded: source,
    created_at: '',
  }
  insertRedirect(ctx.store, { ...row, ...more, destination })
}

async function siteWithRedirects() {
  const made = await insertPublicSite(app, files)
  const { items } = (await admin.get(`${sitePath(made.site)}/site-spaces`)).body
  const { pages } = (await admin.get(`/v1/spaces/${made.space}/content/pages`)).body
  const idOf = (path: string): string =>
    pages.find((page: { path: string }) => page.path === path).id
  const siteSpaceId = items[0].id as string

  redirect(made.site, '/old/place', { kind: 'site-page', siteSpaceId, pageId: idOf('open') })
  redirect(made.site, '/to-beta', { kind: 'site-page', siteSpaceId, pageId: idOf('beta') })
  redirect(made.site, '/to-space', { kind: 'site-space', siteSpaceId })
  redirect(made.site, '/out', { kind: 'external', url: 'https://example.org/there?a=1#part' })
  redirect(made.site, '/open', { kind: 'site-space', siteSpaceId })
  redirect(made.site, '/of-space', { kind: 'site-space', siteSpaceId })

  return made
}

const leadsTo = async (address: string, headers: Record<string, string> = {}) => {
  const { status, headers: sent } = await openPage(app, address, {
    accept: 'text/html',
    ...headers,
  })
  return status === 307 ? sent.get('location') : status
}

test('the redirects of a site are followed where no page is found, with the query', async () => {
  const { base } = await siteWithRedirects()
  assert.is(await leadsTo(`${base}old/place`), `${base}open`)
  assert.is(await leadsTo(`${base}OLD/Place/?x=1&y=2`), `${base}open?x=1&y=2`)
  assert.is(await leadsTo(`${base}to-space`), base)
  assert.is(await leadsTo(`${base}out`), 'https://example.org/there?a=1#part')
  assert.is(await leadsTo(`${base}out?b=2&jwt=3`), 'https://example.org/there?a=1&b=2&jwt=3#part')
  assert.is(await leadsTo(`${base}old`), 404)
})

test('a wildcard matches the rest of a path, which may be appended', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const { items } = (await admin.get(`${sitePath(site)}/site-spaces`)).body
  const siteSpace = { kind: 'site-space', siteSpaceId: items[0].id as string } as const
  const out = (url: string) => ({ kind: 'external', url }) as const
  redirect(site, '/v1/*', siteSpace, { capture_wildcard: 1 })
  redirect(site, '/v1/blog/*', out('https://example.org/blog?a=1'), { capture_wildcard: 1 })
  redirect(site, '/v1/blog/first', out('https://example.org/1'))
  redirect(site, '/gone*', siteSpace)

  assert.is(await leadsTo(`${base}v1/open`), `${base}open`)
  assert.is(await leadsTo(`${base}v1/a%20b/C?x=1`), `${base}a%20b/C?x=1`)
  assert.is(await leadsTo(`${base}V1`), base)
  assert.is(await leadsTo(`${base}v1/blog/A/b`), 'https://example.org/blog/A/b?a=1')
  assert.is(await leadsTo(`${base}v1/blog/first`), 'https://example.org/1')
  assert.is(await leadsTo(`${base}gone`), base)
  assert.is(await leadsTo(`${base}gone-too/far`), base)
  assert.is(await leadsTo(`${base}v`), 404)
})

test('a wildcard never leads to where it would match again and again', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const { items } = (await admin.get(`${sitePath(site)}/site-spaces`)).body
  const { pages } = (await admin.get(`/v1/spaces/${items[0].space.id}/content/pages`)).body
  const open = pages.find((page: { path: string }) => page.path === 'open')
  const page = { kind: 'site-page', siteSpaceId: items[0].id, pageId: open.id } as const
  redirect(site, '/open/*', page, { capture_wildcard: 1 })

  assert.is(await leadsTo(`${base}open/more`), 404)
  redirect(site, '/open/a*', page)
  assert.is(await leadsTo(`${base}open/ab`), `${base}open`)
})

test('drafts are not followed, and permanent redirects are for sites that are open to all', async () => {
  const { base, site } = await insertPublicSite(app, files)
  const there = { kind: 'external', url: 'https://example.org/' } as const
  redirect(site, '/draft', there, { draft: 1 })
  redirect(site, '/moved', there, { permanent: 1 })
  const status = async (path: string) =>
    (await openPage(app, base + path, { accept: 'text/html' })).status

  assert.equal([await status('draft'), await status('moved')], [404, 308])
})

test('pages and the redirects of the space come before the redirects of the site', async () => {
  const { base } = await siteWithRedirects()
  assert.is(await leadsTo(`${base}open`), 200)
  assert.is(await leadsTo(`${base}of-space`), `${base}open`)
})

test('a redirect to a page that a condition hides is 404 for others, for every audience', async () => {
  const made = await siteWithRedirects()
  const sign = await makeAdaptive(app, made.site)
  const withClaim = await cookieOf(app, made.base, await sign({ beta: true }))
  assert.is(await leadsTo(`${made.base}to-beta`, { cookie: withClaim }), `${made.base}beta`)

  for (const visibility of ['public', 'unlisted', 'share-link'] as const) {
    const base = await changeAudience(app, made, visibility)
    const hidden = await openPage(app, `${base}to-beta`, { accept: 'text/html' })
    const missing = await openPage(app, `${base}to-bexx`, { accept: 'text/html' })
    assert.equal([hidden.status, missing.status], [404, 404], visibility)
    assert.not.match(hidden.text, 'Beta')
    assert.is(await leadsTo(`${base}old/place`), `${base}open`)
  }

  await changeAudience(app, made, 'visitor-auth')
  assert.is(await leadsTo(`${made.base}old/place`), 401)
  const [member, other] = [
    await cookieOf(app, made.base, await sign({ beta: true })),
    await cookieOf(app, made.base, await sign({})),
  ]

  assert.is(await leadsTo(`${made.base}to-beta`, { cookie: member }), `${made.base}beta`)
  assert.is(await leadsTo(`${made.base}to-beta`, { cookie: other }), 404)
})

test('the key of a share link stays on the site', async () => {
  const made = await siteWithRedirects()
  const base = await changeAudience(app, made, 'share-link')
  const out = await openPage(app, `${base}out?visitor.plan=x`)
  assert.equal(
    [out.headers.get('location'), out.headers.get('referrer-policy')],
    ['https://example.org/there?a=1#part', 'no-referrer'],
  )
  assert.is(await leadsTo(`${made.base}old/place`), 401)
})

test('a redirect below the path of a section leads to another section', async () => {
  const made = await siteWithRedirects()
  const { space } = await makeSpace(app, { 'README.md': '# Second\n' }, 'Second')
  const section = await admin.post(`${sitePath(made.site)}/sections`, {
    spaceId: space.id,
    title: 'Second',
  })

  assert.is(section.status, 201, section.text)
  redirect(made.site, '/second/gone', { kind: 'site-section', siteSectionId: section.body.id })
  assert.is(await leadsTo(`${made.base}second/gone?q=1`), `${made.base}second/?q=1`)
  assert.is(await leadsTo(`${made.base}second/other`), 404)
})

test.run()
