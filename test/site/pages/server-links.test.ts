import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import { plainSettings } from '../../content/customization/settings.ts'
import type { App } from '../../support/app.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const link = (url: string) => ({ title: 'API reference', to: { kind: 'url' as const, url } })

/** Publishes a site with links to a path of the server in its header and its footer. */
async function siteWithLinks(app: App, set: Partial<SiteRow> = {}): Promise<string> {
  const { base, site } = await insertPublicSite(app, { 'README.md': '# Home\n' }, set)
  const { header, ...settings } = plainSettings()
  const to = link('/docs')
  const put = await app.admin.put(`/v1/orgs/acme/sites/${site}/customization`, {
    ...settings,
    header: { ...header, links: [{ ...to, links: [] }] },
    footer: { groups: [{ title: 'Programs', links: [to] }] },
  })

  assert.equal([put.status, put.body.header.links[0].to.url], [200, '/docs'], put.text)

  return base
}

const linksIn = (text: string): string[] => text.match(/<a [^>]*>API reference<\/a>/g) ?? []

test('a link of the settings to a path of the server leads there on the host of the server', async () => {
  const { text } = await openPage(app, await siteWithLinks(app))
  assert.equal(linksIn(text), [
    '<a class="quiet" href="/docs">API reference</a>',
    '<a href="/docs">API reference</a>',
  ])
})

test('on another host, the link names the host of the server', async () => {
  await siteWithLinks(app, { hostname: 'docs.example.org' })
  const { text } = await openPage(app, '/', { host: 'docs.example.org' })
  assert.equal(
    linksIn(text).map(tag => /href="([^"]*)"/.exec(tag)?.[1]),
    [`${app.url}/docs`, `${app.url}/docs`],
  )
})

test('below a path of a proxy, the link is below it too', async () => {
  const below = await siteApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org/stemma' })
  try {
    const base = await siteWithLinks(below)
    const { text } = await openPage(below, base, { host: 'docs.example.org' })
    assert.match(linksIn(text)[0] ?? '', 'href="/stemma/docs"')
  } finally {
    await below.stop()
  }
})

test('what browsers take for another host is not a path', async () => {
  const { site } = await insertPublicSite(app, { 'README.md': '# Home\n' })
  const { header, ...settings } = plainSettings()
  for (const url of ['//example.org/', '/\\example.org/', '/\t/example.org', 'docs', '/a b']) {
    const links = [{ ...link(url), links: [] }]
    const { status, text } = await app.admin.put(`/v1/orgs/acme/sites/${site}/customization`, {
      ...settings,
      header: { ...header, links },
    })
    assert.is(status, 400, url)
    assert.match(text, 'a path of this server')
  }
})

test.run()
