import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { countNowhere } from '../../../src/actions/sites/lookup-limits.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { startApp } from '../../support/app.ts'
import { withStoppedClock } from '../../support/http/stopped-clock.ts'
import { publishedSite } from '../../support/sites.ts'

const app = await startApp({ STEMMA_TRUST_PROXY: 'loopback' })
test.after(() => app.stop())

const { id: space } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })).body

async function siteWith(set: Parameters<typeof publishedSite>[2] = {}) {
  const site = await publishedSite(app, [space], set)
  return { ...site, base: `${app.url}/sites/acme/${site.basename}/` }
}

const resolve = (url: string, from: string, visitor = {}, by = app.anonymous) =>
  by.post('/v1/urls/published', { url, visitor }, { 'x-forwarded-for': from })

test('addresses that lead nowhere are limited for a client alike, whatever the reason', async () => {
  const [open, shared, hidden] = [
    await siteWith({ agents_context: 'excluded' }),
    await siteWith({ visibility: 'share-link' }),
    await siteWith(),
  ]

  updateSite(app.ctx.store, hidden.id, { published: 0 })
  const { urls } = (
    await app.admin.post(`/v1/orgs/acme/sites/${shared.id}/share-links`, { name: 'x' })
  ).body
  const agent = { type: 'agent' }
  const nowhere: [url: string, visitor?: object][] = [
    [`${shared.base}A2345678901234567890/`],
    [shared.base],
    [`${app.url}/sites/acme/unknown/`],
    [`${app.url}/sites/nothing/unknown/`],
    ['https://docs.example.org/'],
    [hidden.base],
    [open.base, agent],
  ]

  await withStoppedClock(async () => {
    for (const [n, [url, visitor]] of nowhere.entries()) {
      const from = `192.0.2.${n + 1}`
      const call = async () => (await resolve(url, from, visitor)).status
      const first = await call()

      // The limit is 120.
      for (let count = 1; count < 119; count++) countNowhere(app.ctx, from)
      assert.equal([first, await call(), await call(), await call()], [404, 404, 429, 429], url)
      const texts = new Set<string>()

      for (const [other, as] of nowhere) texts.add((await resolve(other, from, as)).text)
      assert.is(texts.size, 1)
      assert.match(
        [...texts].join(),
        /Too many addresses that lead nowhere were resolved\. Try again in/,
      )

      // What leads somewhere is answered, and so are other clients and users.
      for (const right of [urls.published, open.base])
        assert.is((await resolve(right, from)).status, 200)
      assert.is((await resolve(url, '192.0.2.200', visitor)).status, 404)
      assert.is((await resolve(url, from, visitor, app.admin)).status, 404)
    }
  })
})

test.run()
